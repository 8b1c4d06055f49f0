"""Bubblewrap jails: namespaces of the kernel, made by an ordinary program, as root or not.

An ordinary user's jail is a user namespace, in which programs have that user's id for the kernel
and no privilege. If root made a jail in this way, its programs would be root in every check of the
kernel that looks only at the real user id. So root's jail has no user namespace: bubblewrap makes
the jail as root, and the program gets a user id that no other process of this machine has. In a
rootless container root has no such ids, so its jails are like an ordinary user's.
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
from runner.jail.process import Jail, JailedProcess
from runner.jail.spec import JailLimits, JailSpec, Kind, Launch

_OLDEST = (0, 8)
_NOBODY = "65534"
_USERS = range(1_900_000_000, 2_100_000_000)
"""User ids that nothing else uses: above the ids of containers, below the ids with a meaning."""
_READABLE_BY_OTHERS = 0o005
_ELSEWHERE = "install it with `apt-get install bubblewrap`, or use `--sandbox docker` or `none`"
_FOLDERS_OF_USR = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")


class BubblewrapJail(Jail):
    """Runs programs under bubblewrap: the default."""

    name: Kind = "bwrap"

    def start(self, spec: JailSpec, *, stdin: bool = False) -> JailedProcess:
        """Start a program and return at once."""
        with seccomp.as_descriptor() as refused_calls:
            return JailedProcess(_launch(spec, refused_calls), stdin=stdin)


def open_bubblewrap() -> BubblewrapJail:
    """Return a jail if bubblewrap runs a program. Raises SandboxUnavailableError with the remedy.

    A jail also needs prlimit, setpriv and a known kind of processor; root also needs an open umask.
    """
    if shutil.which("bwrap") is None:
        raise SandboxUnavailableError(f"bubblewrap is not installed: {_ELSEWHERE}")
    for program in ("prlimit", "setpriv"):
        if shutil.which(program) is None:
            raise SandboxUnavailableError(
                f"{program} is not installed: install it with `apt-get install util-linux`"
            )
    if not seccomp.is_known():
        raise SandboxUnavailableError(
            "bubblewrap jails need an x86_64 or aarch64 processor, because system calls have other "
            f"numbers on {platform.machine()}: use `--sandbox docker` or `none`"
        )
    _require_open_umask()
    version = _read_version()
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
            f"bubblewrap does not work here ({reason}): {_advise_rights()}, "
            "or use `--sandbox docker` or `none`"
        )
    return jail


def _require_open_umask() -> None:
    """Check that jailed programs, which are other users under root, can read files that we write.

    Raises SandboxUnavailableError if the umask forbids this.
    """
    if not _has_free_ids():
        return
    mask = os.umask(0o022)
    os.umask(mask)
    if mask & _READABLE_BY_OTHERS:
        raise SandboxUnavailableError(
            f"umask is {mask:03o}: jailed programs do not run as root and could not read their "
            "files; type `umask 022` and start again"
        )


def _advise_rights() -> str:
    if _has_free_ids():
        return "give root CAP_SYS_ADMIN, CAP_SETUID and CAP_SETGID, or run as an ordinary user"
    if os.geteuid() == 0:
        return (
            f"allow user namespaces in this container, whose root lacks the user ids from "
            f"{_USERS.start} on (/proc/self/uid_map)"
        )
    return "allow unprivileged user namespaces"


def _read_version() -> tuple[int, ...]:
    answer = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False)
    numbers = re.search(r"(\d{1,9})\.(\d{1,9})", answer.stdout)
    return tuple(int(number) for number in numbers.groups()) if numbers else (0,)


def _launch(spec: JailSpec, refused_calls: int) -> Launch:
    options, first_command = _take_free_id() if _has_free_ids() else (_AS_NOBODY, ())
    return Launch(
        command=(
            *("bwrap", *options, "--seccomp", str(refused_calls), *_make_wall_options(spec), "--"),
            *(*first_command, *_make_rlimit_command(spec.limits), *spec.command),
        ),
        cwd="/",
        env={},
        limits=spec.limits,
        writable=tuple(bind.source for bind in spec.binds if bind.writable),
        kill=_kill,
        # As root, two jails of an attempt have different uids: only with umask 0 can a program
        # connect to the Unix socket that the other jail made in their shared folder.
        umask=0 if first_command else -1,
        inherits=(refused_calls,),
    )


_AS_NOBODY = ("--unshare-user", "--uid", _NOBODY, "--gid", _NOBODY, "--disable-userns")


def _has_free_ids() -> bool:
    """Return true if this process is root and may use the ids of ``_USERS``.

    Root may not use them in a rootless container.
    """
    return os.geteuid() == 0 and users.are_known(_USERS)


def _take_free_id() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Draw a user id for a jail of root.

    Returns the options of bubblewrap and the first command inside, which give the program this id.
    Each jail has another id. So the kernel's counts by user count each jail alone, and no process
    can send signals to a process of another jail or read it. Among twenty jails at the same time,
    two draw the same id once in a million times; their namespaces still separate them.
    """
    user = str(_USERS[secrets.randbelow(len(_USERS))])
    rights = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
    return tuple(word for right in rights for word in ("--cap-add", right)), (
        *("/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups"),
        *("--bounding-set=-all", "--inh-caps=-all", "--"),
    )


def _make_wall_options(spec: JailSpec) -> list[str]:
    disk = str(spec.limits.disk_mb * 1_000_000)
    walls = [
        *("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
        "--unshare-net",
        *("--hostname", "jail", "--die-with-parent", "--new-session", "--clearenv"),
        *_make_system_options(),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", disk, "--tmpfs", "/tmp"),  # noqa: S108
    ]
    for bind in spec.binds:
        # Parent folders are made here: bubblewrap itself would make them with mode 0700, and the
        # jail's uid could not enter them.
        for folder in reversed(PurePosixPath(bind.target).parents[:-1]):
            walls += ["--dir", str(folder)]
        walls += ["--bind" if bind.writable else "--ro-bind", str(bind.source), bind.target]
    # /dev and / are in memory, without a limit of their own size. Below /proc are settings of the
    # machine's kernel: no user in the jail may change them, and read-only mounts make sure of it.
    walls += ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **spec.env}
    for name, value in environment.items():
        walls += ["--setenv", name, value]
    return [*walls, "--chdir", spec.cwd]


def _make_system_options() -> list[str]:
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


def _make_rlimit_command(limits: JailLimits) -> list[str]:
    """Return the command that sets limits for each process, and a limit of processes per user.

    That limit counts only processes of this jail: the jail has its own user id or user namespace.
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
    """Kill the first process in the jail of bubblewrap's process ``pid``.

    The kernel ends all other processes of the jail before it reports the end of the first.
    """
    first = processes.list_children(pid)
    if first:
        processes.kill_each(first)
        return
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
