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
import os
import platform
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from runner.errors import SandboxUnavailableError
from runner.jail import paths
from runner.jail.folders import hold
from runner.jail.kernel import processes, seccomp
from runner.jail.limits import JailLimits
from runner.jail.process import Jail, JailedProcess
from runner.jail.spec import Bind, JailSpec, Kind, Launch

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
_PATH = "/usr/local/bin:/usr/bin:/bin"
_LINKER_TABLE = "/etc/ld.so.cache"
_AS_NOBODY = ("--unshare-user", "--uid", _NOBODY, "--gid", _NOBODY, "--disable-userns")
_ULIMITS = {"core": ("-c", 1), "data": ("-d", 1024), "fsize": ("-f", 512), "cpu": ("-t", 1)}
"""The options of a shell's ulimit, with their units."""
_RIGHTS_OF_ROOT = ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP")


class BubblewrapJail(Jail):
    """Runs programs under bubblewrap: the default."""

    name: Kind = "bwrap"

    def start(self, spec: JailSpec, *, stdin: bool = False) -> JailedProcess:
        """Start a program and return at once.

        Root draws a user id for each jail, so the kernel's counts by user count each jail alone,
        and no process can send signals to a process of another jail or read it. Among twenty jails
        at the same time, two draw the same id once in a million times; their namespaces still
        separate them.
        """
        options: tuple[str, ...] = _AS_NOBODY
        first_command: tuple[str, ...] = ()
        if _has_free_ids():
            user = str(_USERS[secrets.randbelow(len(_USERS))])
            options = _RIGHTS_OF_ROOT
            first_command = (
                *("/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups"),
                *("--bounding-set=-all", "--inh-caps=-all", "--"),
            )
        # The limit of processes counts only those of this jail: it has its own user id, or its own
        # user namespace.
        rlimits = {"nproc": spec.limits.tasks, "nofile": 4096, **spec.limits.rlimits}
        with seccomp.as_descriptor() as refused_calls:
            walls = ("--seccomp", str(refused_calls), *_make_wall_options(spec), "--")
            launch = Launch(
                command=(
                    *("bwrap", *options, *walls, *first_command),
                    *("/usr/bin/prlimit", *(f"--{name}={most}" for name, most in rlimits.items())),
                    *("--", *spec.command),
                ),
                cwd="/",
                env={},
                # The first process in the jail: the kernel ends all others before it reports the
                # end of the first.
                kill=lambda pid: processes.kill_each(processes.list_children(pid) or [pid]),
                # As root, two jails of an attempt have different uids: only with umask 0 can a
                # program connect to the Unix socket that the other jail made in a shared folder.
                umask=0 if first_command else -1,
                inherits=(refused_calls,),
            )
            return JailedProcess(spec, launch, stdin=stdin)


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
    if _has_free_ids():
        mask = os.umask(0o022)
        os.umask(mask)
        if mask & _READABLE_BY_OTHERS:
            raise SandboxUnavailableError(
                f"umask is {mask:03o}: jailed programs do not run as root and could not read "
                "their files; type `umask 022` and start again"
            )
    answer = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False)
    numbers = re.search(r"(\d{1,9})\.(\d{1,9})", answer.stdout)
    version = tuple(int(number) for number in numbers.groups()) if numbers else (0,)
    if version < _OLDEST:
        installed, needed = (".".join(map(str, v)) for v in (version, _OLDEST))
        raise SandboxUnavailableError(
            f"bubblewrap {installed} is older than {needed}: {_ELSEWHERE}"
        )
    jail = BubblewrapJail()
    tried = jail.run(JailSpec(("/bin/true",), limits=JailLimits(wall_s=20)))
    if tried.returncode != 0:
        reason = tried.stderr.decode("utf-8", "replace").strip() or f"status {tried.returncode}"
        advice = "allow unprivileged user namespaces"
        if _has_free_ids():
            advice = (
                "give root CAP_SYS_ADMIN, CAP_SETUID and CAP_SETGID, or run as an ordinary user"
            )
        elif os.geteuid() == 0:
            advice = (
                f"allow user namespaces in this container, whose root lacks the user ids from "
                f"{_USERS.start} on (/proc/self/uid_map)"
            )
        raise SandboxUnavailableError(
            f"bubblewrap does not work here ({reason}): {advice}, or use `--sandbox docker` or "
            "`none`"
        )
    return jail


def _has_free_ids() -> bool:
    """Return true if this process is root and may use the ids of ``_USERS``.

    Root may not use them in a rootless container.
    """
    return os.geteuid() == 0 and all(
        has_ids(Path(path).read_text("ascii"), _USERS) for path in _MAPS
    )


def _make_wall_options(spec: JailSpec) -> list[str]:
    """Return bubblewrap's options: namespaces, read-only folders of the system, binds, variables.

    Parent folders of binds are made here: bubblewrap itself would make them with mode 0700, and
    the jail's uid could not enter them.
    """
    disk = str(spec.limits.disk_mb * 1_000_000)
    walls = [
        *("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
        "--unshare-net",
        *("--hostname", "jail", "--die-with-parent", "--new-session", "--clearenv"),
        *("--ro-bind", "/usr", "/usr"),
    ]
    for name in _FOLDERS_OF_USR:
        folder = Path("/", name)
        if folder.is_symlink():
            walls += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            walls += ["--ro-bind", str(folder), str(folder)]
    walls += [
        *("--dir", "/etc", "--ro-bind-try", _LINKER_TABLE, _LINKER_TABLE),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", disk, "--tmpfs", "/tmp"),  # noqa: S108
    ]
    for bind in spec.binds:
        for folder in reversed(PurePosixPath(bind.target).parents[:-1]):
            walls += ["--dir", str(folder)]
        walls += ["--bind" if bind.writable else "--ro-bind", str(bind.source), bind.target]
    # /dev and / are in memory, without a limit of their own size. Below /proc are settings of the
    # machine's kernel: no user in the jail may change them, and read-only mounts make sure of it.
    walls += ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"]
    environment = {"PATH": _PATH, "LANG": "C.UTF-8", **spec.env}
    for name, value in environment.items():
        walls += ["--setenv", name, value]
    return [*walls, "--chdir", spec.cwd]


class DockerJail(Jail):
    """Runs each program in a container of its own."""

    name: Kind = "docker"

    def start(self, spec: JailSpec, *, stdin: bool = False) -> JailedProcess:
        """Start a program and return at once."""
        name = f"convex-leaderboard-{os.getpid()}-{next(_numbers)}"

        def kill(_: int) -> None:
            command = ["docker", "kill", name]
            subprocess.run(command, capture_output=True, timeout=_ANSWER_S, check=False)

        launch = Launch(
            command=make_docker_command(spec, name),
            cwd=None,
            env=dict(os.environ),  # of the docker client, which finds its engine by it
            kill=kill,
        )
        return JailedProcess(spec, launch, stdin=stdin)


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


def make_docker_command(spec: JailSpec, name: str) -> tuple[str, ...]:
    """Return the command that runs a program in a container called ``name``."""
    limits = spec.limits
    words = [
        *("docker", "run", "--rm", "--interactive", "--init", "--name", name),
        *("--network", "none"),
        "--read-only",
        *("--memory", f"{limits.memory_mb}m", "--memory-swap", f"{limits.memory_mb}m"),
        *("--pids-limit", str(limits.tasks)),
        # Not of processor time: the end would be that of a kill by a stranger.
        *(f"--ulimit={name}={most}" for name, most in limits.rlimits.items() if name != "cpu"),
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--user", f"{os.getuid()}:{os.getgid()}" if os.getuid() else _DOCKER_NOBODY),
        *("--hostname", "jail", "--workdir", spec.cwd),
    ]
    if all(bind.target != "/tmp" for bind in spec.binds):  # noqa: S108 - of the jail
        words += ["--tmpfs", f"/tmp:size={limits.disk_mb}m,mode=1777"]  # noqa: S108
    for bind in spec.binds:
        if bind.target != paths.NODE:  # the image has its own Node
            mode = "rw" if bind.writable else "ro"
            words += ["--volume", f"{bind.source}:{bind.target}:{mode}"]
    for key, value in spec.env.items():
        words += ["--env", f"{key}={value}"]
    program, *arguments = spec.command
    return (*words, IMAGE, "node" if program == paths.NODE else program, *arguments)


class NoJail(Jail):
    """Runs programs with an almost empty environment, in their own process group, under rlimits.

    Programs see the whole file system, and binds are not mounted. Instead, the path of a bind's
    source replaces its target in the command, the environment and the working folder.
    """

    name: Kind = "none"

    _copies: Path | None = None
    """The folder with copies of our own programs, beside a link to the packages that they import.

    Node searches the packages in the folders above a program. In other jails these have
    /node_modules; here only the folder of the copies has it.
    """

    def start(self, spec: JailSpec, *, stdin: bool = False) -> JailedProcess:
        """Start a program and return at once."""
        # The binds of our own programs have copies as sources.
        packages = next(
            (bind.source for bind in spec.binds if bind.target == paths.NODE_MODULES), None
        )
        binds: list[Bind] = []
        for bind in spec.binds:
            if packages is None or not bind.target.startswith(f"{paths.HARNESS}/"):
                binds.append(bind)
                continue
            if self._copies is None:
                held = hold("harness", Path(tempfile.gettempdir()))
                atexit.register(held.remove)
                self._copies = held.path
                (self._copies / "node_modules").symlink_to(packages)
            copy = self._copies / bind.target.lstrip("/")
            if not copy.exists():
                shutil.copytree(bind.source, copy, ignore=shutil.ignore_patterns("__pycache__"))
            binds.append(Bind(copy, bind.target))
        env = {"PATH": os.environ.get("PATH", _PATH), "LANG": "C.UTF-8", **spec.env}
        command = [replace_bind_target(word, binds) for word in spec.command]
        # The number of processes is not set: the kernel would count all processes of this user.
        rlimits = [
            f"ulimit {_ULIMITS[name][0]} {most // _ULIMITS[name][1]}"
            for name, most in spec.limits.rlimits.items()
        ]
        launch = Launch(
            command=("/bin/sh", "-c", "; ".join([*rlimits, 'exec "$@"']), "jail", *command),
            cwd=replace_bind_target(spec.cwd, binds),
            env={name: replace_bind_target(value, binds) for name, value in env.items()},
            kill=_kill_unjailed,
            sweep=_sweep,
        )
        return JailedProcess(spec, launch, stdin=stdin)


def replace_bind_target(word: str, binds: Sequence[Bind]) -> str:
    """Return ``word`` with the source of a bind instead of its target, also after ``name=``."""
    option, equals, value = word.rpartition("=")
    for bind in sorted(binds, key=lambda bind: len(bind.target), reverse=True):
        if value == bind.target or value.startswith(f"{bind.target}/"):
            return option + equals + str(bind.source) + value[len(bind.target) :]
    return word


def _kill_unjailed(pid: int) -> None:
    everyone = list(processes.walk_members(pid))
    _sweep(pid)
    processes.kill_each(everyone)


def _sweep(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def has_ids(id_map: str, ids: range) -> bool:
    """Return true if ``id_map``, the text of a file such as /proc/self/uid_map, has all ids."""
    missing = ids
    # Each line has the first id, the first id outside, and the number of ids (user_namespaces(7)).
    extents = (line.split() for line in id_map.splitlines())
    for first, count in sorted((int(first), int(count)) for first, _, count in extents):
        if first <= missing.start < first + count:
            missing = range(min(first + count, missing.stop), missing.stop)
    return not missing
