"""The kinds of jails: bubblewrap, docker, and none.

Bubblewrap jails are namespaces of the kernel, made by an ordinary program, as root or not.

An ordinary user's jail is a user namespace, in which programs have that user's id for the kernel
and no privilege. If root made a jail in this way, its programs would be root in every check of the
kernel that looks only at the real user id. So root's jail has no user namespace: bubblewrap makes
the jail as root, and the program gets a user id that no other process of this machine has. In a
rootless container root has no such ids, so its jails are like an ordinary user's.
"""

import atexit
import itertools
import math
import os
import platform
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from runner.errors import SandboxUnavailableError
from runner.jail.folders import hold
from runner.jail.kernel import processes, seccomp
from runner.jail.process import Jail, JailedProcess
from runner.jail.spec import (
    HARNESS,
    NODE,
    NODE_MODULES,
    Bind,
    JailLimits,
    JailSpec,
    Kind,
    Launch,
)

_OLDEST = (0, 8)
_NOBODY = "65534"
_USERS = range(1_900_000_000, 2_100_000_000)
"""User ids that nothing else uses: above the ids of containers, below the ids with a meaning."""
_READABLE_BY_OTHERS = 0o005
_ELSEWHERE = "install it with `apt-get install bubblewrap`, or use `--sandbox docker` or `none`"
_FOLDERS_OF_USR = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
IMAGE = "node:24-bookworm-slim"
_DOCKER_NOBODY = "65534:65534"
_ANSWER_S = 20
_numbers = itertools.count()
_MAPS = ("/proc/self/uid_map", "/proc/self/gid_map")


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
    return os.geteuid() == 0 and are_known(_USERS)


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


class DockerJail(Jail):
    """Runs each program in a container of its own."""

    name: Kind = "docker"

    def start(self, spec: JailSpec, *, stdin: bool = False) -> JailedProcess:
        """Start a program and return at once."""
        return JailedProcess(_launch_docker(spec), stdin=stdin)


def open_docker() -> DockerJail:
    """Return a jail if Docker's engine answers. Raises SandboxUnavailableError with the remedy."""
    if shutil.which("docker") is None:
        raise SandboxUnavailableError(
            "the command `docker` is not installed: install Docker, or use `--sandbox none`"
        )
    try:
        answer = subprocess.run(
            ["docker", "version", "--format", "{{.Server.Version}}"],
            capture_output=True,
            text=True,
            timeout=_ANSWER_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SandboxUnavailableError(
            f"no Docker engine answered in {_ANSWER_S} s: start it, or use `--sandbox none`"
        ) from None
    if answer.returncode != 0:
        raise SandboxUnavailableError("no Docker engine answers: start it, or use `--sandbox none`")
    return DockerJail()


def _launch_docker(spec: JailSpec) -> Launch:
    name = f"convex-leaderboard-{os.getpid()}-{next(_numbers)}"
    return Launch(
        command=make_docker_command(spec, name),
        cwd=None,
        env=dict(os.environ),  # of the docker client, which finds its engine by it
        limits=spec.limits,
        writable=tuple(bind.source for bind in spec.binds if bind.writable),
        kill=lambda _: _kill_docker(name),
    )


def make_docker_command(spec: JailSpec, name: str) -> tuple[str, ...]:
    """Return the command that runs a program in a container called ``name``."""
    limits = spec.limits
    words = [
        *("docker", "run", "--rm", "--interactive", "--init", "--name", name),
        *("--network", "none"),
        "--read-only",
        *("--memory", f"{limits.memory_mb}m", "--memory-swap", f"{limits.memory_mb}m"),
        *("--pids-limit", str(limits.tasks)),
        *("--ulimit", f"fsize={limits.file_size_mb * 1_000_000}", "--ulimit", "core=0"),
        *("--ulimit", f"data={limits.data_bytes}"),
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--user", f"{os.getuid()}:{os.getgid()}" if os.getuid() else _DOCKER_NOBODY),
        *("--hostname", "jail", "--workdir", spec.cwd),
    ]
    if all(bind.target != "/tmp" for bind in spec.binds):  # noqa: S108 - of the jail
        words += ["--tmpfs", f"/tmp:size={limits.disk_mb}m,mode=1777"]  # noqa: S108
    for bind in spec.binds:
        if bind.target != NODE:  # the image has its own Node
            mode = "rw" if bind.writable else "ro"
            words += ["--volume", f"{bind.source}:{bind.target}:{mode}"]
    for key, value in spec.env.items():
        words += ["--env", f"{key}={value}"]
    program, *arguments = spec.command
    return (*words, IMAGE, "node" if program == NODE else program, *arguments)


def _kill_docker(name: str) -> None:
    subprocess.run(["docker", "kill", name], capture_output=True, timeout=_ANSWER_S, check=False)


class NoJail(Jail):
    """Runs programs with an almost empty environment, in their own process group, under rlimits.

    Programs see the whole file system, and binds are not mounted. Instead, the path of a bind's
    source replaces its target in the command, the environment and the working folder.
    """

    name: Kind = "none"

    def __init__(self) -> None:
        self._stage = _Stage()

    def start(self, spec: JailSpec, *, stdin: bool = False) -> JailedProcess:
        """Start a program and return at once."""
        return JailedProcess(self._launch(spec), stdin=stdin)

    def _launch(self, spec: JailSpec) -> Launch:
        binds = self._stage.copy_programs(spec.binds)
        path = os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin")
        env = {"PATH": path, "LANG": "C.UTF-8", **spec.env}
        command = [replace_bind_target(word, binds) for word in spec.command]
        return Launch(
            command=("/bin/sh", "-c", _with_rlimits(spec.limits), "jail", *command),
            cwd=replace_bind_target(spec.cwd, binds),
            env={name: replace_bind_target(value, binds) for name, value in env.items()},
            limits=spec.limits,
            writable=tuple(bind.source for bind in spec.binds if bind.writable),
            kill=_kill_unjailed,
            sweep=_sweep,
        )


def replace_bind_target(word: str, binds: Sequence[Bind]) -> str:
    """Return ``word`` with the source of a bind instead of its target, also after ``name=``."""
    option, equals, value = word.rpartition("=")
    for bind in sorted(binds, key=lambda bind: len(bind.target), reverse=True):
        if value == bind.target or value.startswith(f"{bind.target}/"):
            return option + equals + str(bind.source) + value[len(bind.target) :]
    return word


class _Stage:
    """Copies of our own programs beside a link to the packages that they import.

    Node searches the packages in the folders above a program. In other jails these have
    /node_modules; here only the folder of the copies has it.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None

    def copy_programs(self, binds: Sequence[Bind]) -> list[Bind]:
        """Return the binds, those of our own programs with copies as sources."""
        packages = next((bind.source for bind in binds if bind.target == NODE_MODULES), None)
        return [self._copy_program(bind, packages) for bind in binds]

    def _copy_program(self, bind: Bind, packages: Path | None) -> Bind:
        if packages is None or not bind.target.startswith(f"{HARNESS}/"):
            return bind
        if self._folder is None:
            held = hold("harness", Path(tempfile.gettempdir()))
            atexit.register(held.remove)
            self._folder = held.path
            (self._folder / "node_modules").symlink_to(packages)
        copy = self._folder / bind.target.lstrip("/")
        if not copy.exists():
            shutil.copytree(bind.source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        return Bind(copy, bind.target)


def _with_rlimits(limits: JailLimits) -> str:
    settings = [
        "ulimit -c 0",
        f"ulimit -d {limits.data_bytes // 1024}",
        f"ulimit -f {limits.file_size_mb * 1_000_000 // 512}",
    ]
    if math.isfinite(limits.cpu_s):
        settings.append(f"ulimit -t {math.ceil(limits.cpu_s) + 1}")
    # The number of processes is not set: the kernel would count all processes of this user.
    return "; ".join([*settings, 'exec "$@"'])


def _kill_unjailed(pid: int) -> None:
    everyone = list(processes.walk_members(pid))
    _sweep(pid)
    processes.kill_each(everyone)


def _sweep(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def are_known(ids: range) -> bool:
    """Return true if a program may use each of these ids, as user and as group."""
    return all(has_ids(Path(path).read_text("ascii"), ids) for path in _MAPS)


def has_ids(id_map: str, ids: range) -> bool:
    """Return true if ``id_map``, the text of a file such as /proc/self/uid_map, has all ids."""
    missing = ids
    for first, count in sorted(_parse_extents(id_map)):
        if first <= missing.start < first + count:
            missing = range(min(first + count, missing.stop), missing.stop)
    return not missing


def _parse_extents(id_map: str) -> Iterator[tuple[int, int]]:
    """Yield the first id and the number of ids of each line (user_namespaces(7))."""
    for line in id_map.splitlines():
        first, _, count = line.split()
        yield int(first), int(count)
