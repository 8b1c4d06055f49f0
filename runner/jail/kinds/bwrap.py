"""Bubblewrap: namespaces of the kernel, set up by an ordinary program, as root or not.

An ordinary user's jail is a user namespace: for the kernel, its programs are that user, without any
privilege. Where we are root, a program in such a namespace would still be root in every check that
looks only at its real user id. So root's jail has no user namespace: bubblewrap builds the jail as
root, and the program gets a user id that no other process of this machine has. The root of a
rootless container has no such ids: its jails are those of an ordinary user.
"""

import math
import os
import platform
import re
import secrets
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path, PurePosixPath

from runner.errors import SandboxUnavailableError
from runner.jail.kernel import processes, seccomp, users
from runner.jail.process import JailedProcess, run
from runner.jail.spec import Finished, JailLimits, JailSpec, Kind, Launch

_OLDEST = (0, 8)
_NOBODY = "65534"
_USERS = range(1_900_000_000, 2_100_000_000)
"""User ids without another use: above the ids of containers, below the ids with a meaning."""
_READABLE_BY_OTHERS = 0o005
_ELSEWHERE = "install it with `apt-get install bubblewrap`, or say `--sandbox docker` or `none`"
_FOLDERS_OF_USR = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


class BubblewrapJail:
    """Runs programs under bubblewrap: the default."""

    @property
    def name(self) -> Kind:
        """The word ``bwrap``."""
        return "bwrap"

    def start(self, spec: JailSpec, *, stdin: bool = False) -> JailedProcess:
        """Start a program and return at once."""
        with seccomp.as_descriptor() as refused_calls:
            return JailedProcess(_launch(spec, refused_calls), stdin=stdin)

    def run(self, spec: JailSpec, *, stdin: bytes | None = None) -> Finished:
        """Run a program to its end, or to the first limit it passes."""
        return run(self.start(spec, stdin=stdin is not None), stdin)


def open_bubblewrap() -> BubblewrapJail:
    """Find bubblewrap and try it. Raises SandboxUnavailableError with the remedy."""
    if shutil.which("bwrap") is None:
        raise SandboxUnavailableError(f"bubblewrap is not installed: {_ELSEWHERE}")
    for program in ("prlimit", "setpriv"):
        if shutil.which(program) is None:
            raise SandboxUnavailableError(
                f"{program} is not installed: install it with `apt-get install util-linux`"
            )
    if not seccomp.is_known():
        raise SandboxUnavailableError(
            f"which system calls to refuse is not known for {platform.machine()} processors, only "
            "for x86_64 and aarch64: say `--sandbox docker` or `none`"
        )
    _require_open_umask()
    version = _version()
    if version < _OLDEST:
        installed, needed = (".".join(map(str, v)) for v in (version, _OLDEST))
        raise SandboxUnavailableError(
            f"bubblewrap {installed} is older than {needed}: {_ELSEWHERE}"
        )
    jail = BubblewrapJail()
    tried = jail.run(JailSpec(("/bin/true",), limits=JailLimits(wall_s=20)))
    if tried.returncode != 0:
        reason = tried.stderr.decode("utf-8", "replace").strip() or f"status {tried.returncode}"
        raise SandboxUnavailableError(
            f"bubblewrap does not work here ({reason}): {_needed()}, "
            "or say `--sandbox docker` or `none`"
        )
    return jail


def _require_open_umask() -> None:
    """Refuse root's umask if jailed programs, as other users, could not read files that we write.

    Raises SandboxUnavailableError.
    """
    if not _has_strangers():
        return
    mask = os.umask(0o022)
    os.umask(mask)
    if mask & _READABLE_BY_OTHERS:
        raise SandboxUnavailableError(
            f"umask is {mask:03o}, and jailed programs, which do not run as root, could not read "
            "what they are given: say `umask 022` and start again"
        )


def _needed() -> str:
    if _has_strangers():
        return "give root CAP_SYS_ADMIN, CAP_SETUID and CAP_SETGID, or run as an ordinary user"
    if os.geteuid() == 0:
        return (
            f"allow user namespaces in this container, whose root lacks the user ids from "
            f"{_USERS.start} on (/proc/self/uid_map)"
        )
    return "allow unprivileged user namespaces"


def _version() -> tuple[int, ...]:
    answer = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False)
    numbers = re.search(r"(\d{1,9})\.(\d{1,9})", answer.stdout)
    return tuple(int(number) for number in numbers.groups()) if numbers else (0,)


def _launch(spec: JailSpec, refused_calls: int) -> Launch:
    before, inside = _as_stranger() if _has_strangers() else (_AS_NOBODY, ())
    return Launch(
        command=(
            *("bwrap", *before, "--seccomp", str(refused_calls), *_walls(spec), "--"),
            *(*inside, *_rlimits(spec.limits), *spec.command),
        ),
        cwd="/",
        env={},
        limits=spec.limits,
        writable=tuple(bind.source for bind in spec.binds if bind.writable),
        kill=_kill,
        # As root, two jails of one attempt have different uids: with umask 0 one can connect to
        # the Unix socket that the other makes in their shared folder.
        umask=0 if inside else -1,
        inherits=(refused_calls,),
    )


_AS_NOBODY = ("--unshare-user", "--uid", _NOBODY, "--gid", _NOBODY, "--disable-userns")


def _has_strangers() -> bool:
    """Return true if we are root and may use the ids of _USERS: not so in a rootless container."""
    return os.geteuid() == 0 and users.are_known(_USERS)


def _as_stranger() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return options of bubblewrap and a first command inside, which give root's program a new id.

    Each jail has another user id: the kernel's counts by user hold for each jail alone, and no
    process may send signals to, or look into, a process of another jail. Two of twenty jails at the
    same time draw the same number once in a million times; then their namespaces still separate
    them.
    """
    user = str(_USERS[secrets.randbelow(len(_USERS))])
    rights = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
    return tuple(word for right in rights for word in ("--cap-add", right)), (
        *("/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups"),
        *("--bounding-set=-all", "--inh-caps=-all", "--"),
    )


def _walls(spec: JailSpec) -> list[str]:
    disk = str(spec.limits.disk_mb * 1_000_000)
    walls = [
        *("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
        "--unshare-net",
        *("--hostname", "jail", "--die-with-parent", "--new-session", "--clearenv"),
        *_system(),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", disk, "--tmpfs", "/tmp"),  # noqa: S108
    ]
    for bind in spec.binds:
        # Parent folders are made here: bubblewrap itself would make them with mode 0700, and the
        # jail's uid could not enter them.
        for folder in reversed(PurePosixPath(bind.target).parents[:-1]):
            walls += ["--dir", str(folder)]
        walls += ["--bind" if bind.writable else "--ro-bind", str(bind.source), bind.target]
    # /dev and / are in memory, without a limit of their own. Settings of the machine's kernel are
    # files below /proc: no user in the jail may change them, and read-only mounts forbid a try.
    walls += ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **spec.env}
    for name, value in environment.items():
        walls += ["--setenv", name, value]
    return [*walls, "--chdir", spec.cwd]


def _system() -> list[str]:
    """Return the options that mount the system's programs, libraries and linker table read-only."""
    options = ["--ro-bind", "/usr", "/usr"]
    for name in _FOLDERS_OF_USR:
        folder = Path("/", name)
        if folder.is_symlink():
            options += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            options += ["--ro-bind", str(folder), str(folder)]
    linker = "/etc/ld.so.cache"
    return [*options, "--dir", "/etc", "--ro-bind-try", linker, linker]


def _rlimits(limits: JailLimits) -> list[str]:
    """Return the command that sets limits per process, and the limit of processes per user.

    The user is the jail's own, or is counted in the jail's user namespace.
    """
    settings = [
        f"--nproc={limits.tasks}",
        f"--data={limits.data_bytes}",
        f"--fsize={limits.file_size_mb * 1_000_000}",
        "--core=0",
        "--nofile=4096",
    ]
    if math.isfinite(limits.cpu_s):
        settings.append(f"--cpu={math.ceil(limits.cpu_s) + 1}")
    return ["/usr/bin/prlimit", *settings, "--"]


def _kill(pid: int) -> None:
    """Kill the jail's first process: the kernel ends all others before it reports that end."""
    first = processes.children(pid)
    if first:
        processes.kill_each(first)
        return
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
