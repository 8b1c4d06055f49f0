"""Bubblewrap: namespaces of the kernel, set up by an ordinary program, as root or not."""

import math
import os
import re
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from runner.errors import SandboxUnavailableError
from runner.jail import tree
from runner.jail.process import JailedProcess, run
from runner.jail.spec import Finished, JailLimits, JailSpec, Kind, Launch

_OLDEST = (0, 8)
_NOBODY = "65534"
_ELSEWHERE = "install it with `apt-get install bubblewrap`, or say `--sandbox docker` or `none`"
_FOLDERS_OF_USR = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_NETWORK_FILES = ("resolv.conf", "hosts", "nsswitch.conf", "ssl", "ca-certificates", "pki")
"""What of /etc a program needs to find and trust servers."""


class BubblewrapJail:
    """Runs programs under bubblewrap: the default."""

    @property
    def name(self) -> Kind:
        """Say ``bwrap``."""
        return "bwrap"

    def start(self, spec: JailSpec, *, stdin: bool = False) -> JailedProcess:
        """Start a program that goes on."""
        return JailedProcess(_launch(spec), stdin=stdin)

    def run(self, spec: JailSpec, *, stdin: bytes | None = None) -> Finished:
        """Run a program to its end, or to the first limit it passes."""
        return run(self.start(spec, stdin=stdin is not None), stdin)


def open_bubblewrap() -> BubblewrapJail:
    """Find bubblewrap and try it. Raises SandboxUnavailableError, which says what to do."""
    if shutil.which("bwrap") is None:
        raise SandboxUnavailableError(f"bubblewrap is not installed: {_ELSEWHERE}")
    if shutil.which("prlimit") is None:
        raise SandboxUnavailableError(
            "prlimit is not installed: install it with `apt-get install util-linux`"
        )
    version = _version()
    if version < _OLDEST:
        found, needed = (".".join(map(str, v)) for v in (version, _OLDEST))
        raise SandboxUnavailableError(f"bubblewrap {found} is older than {needed}: {_ELSEWHERE}")
    jail = BubblewrapJail()
    tried = jail.run(JailSpec(("/bin/true",), limits=JailLimits(wall_s=20)))
    if tried.returncode != 0:
        reason = tried.stderr.decode("utf-8", "replace").strip() or f"status {tried.returncode}"
        raise SandboxUnavailableError(
            f"bubblewrap does not work here ({reason}): allow unprivileged user namespaces, "
            "or say `--sandbox docker` or `none`"
        )
    return jail


def _version() -> tuple[int, ...]:
    said = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False)
    numbers = re.search(r"(\d+)\.(\d+)", said.stdout)
    return tuple(int(number) for number in numbers.groups()) if numbers else (0,)


def _launch(spec: JailSpec) -> Launch:
    return Launch(
        command=("bwrap", *_walls(spec), "--", *_rlimits(spec.limits), *spec.command),
        cwd="/",
        env={},
        limits=spec.limits,
        writable=tuple(bind.source for bind in spec.binds if bind.writable),
        kill=_kill,
    )


def _walls(spec: JailSpec) -> list[str]:
    disk = str(spec.limits.disk_mb * 1_000_000)
    walls = [
        *("--unshare-user", "--uid", _NOBODY, "--gid", _NOBODY, "--disable-userns"),
        *("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
        *("--hostname", "jail", "--die-with-parent", "--new-session", "--clearenv"),
        *_system(),
        *("--proc", "/proc", "--dev", "/dev", "--size", disk, "--tmpfs", "/tmp"),  # noqa: S108
    ]
    if spec.network:
        walls += _network_files()
    else:
        walls.append("--unshare-net")
    for bind in spec.binds:
        walls += ["--bind" if bind.writable else "--ro-bind", str(bind.source), bind.target]
    # /dev and / are in memory, without a limit of their own. Files below /proc/sys ask the kernel
    # for the real uid only, which is 0 where the runner is root: without a read-only mount, jailed
    # code could change settings of the machine's kernel.
    walls += ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **spec.env}
    for name, value in environment.items():
        walls += ["--setenv", name, value]
    return [*walls, "--chdir", spec.cwd]


def _system() -> list[str]:
    """Show the system's programs and libraries, read-only, and of /etc the linker's table."""
    shown = ["--ro-bind", "/usr", "/usr"]
    for name in _FOLDERS_OF_USR:
        folder = Path("/", name)
        if folder.is_symlink():
            shown += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            shown += ["--ro-bind", str(folder), str(folder)]
    return [*shown, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]


def _network_files() -> list[str]:
    shown: list[str] = []
    for name in _NETWORK_FILES:
        shown += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return shown


def _rlimits(limits: JailLimits) -> list[str]:
    """Set what the kernel counts per process, or per user of the jail's own user namespace."""
    settings = [
        f"--nproc={limits.processes}",
        f"--data={limits.data_bytes}",
        f"--fsize={limits.file_size_mb * 1_000_000}",
        "--core=0",
        "--nofile=4096",
    ]
    if math.isfinite(limits.cpu_s):
        settings.append(f"--cpu={math.ceil(limits.cpu_s) + 1}")
    return ["/usr/bin/prlimit", *settings, "--"]


def _kill(pid: int) -> None:
    """Kill the jail's first process: the kernel then ends all others before that end is seen."""
    first = tree.children(pid)
    if first:
        tree.kill_each(first)
        return
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
