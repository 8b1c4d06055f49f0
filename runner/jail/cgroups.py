"""Control groups: the kernel's own limits on memory and processes, where we may set them.

As an ordinary user these folders are not ours to write: there RLIMIT_NPROC holds the number of
processes, and the warden the memory. Both versions of control groups are in use on Debian.
"""

import itertools
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from runner.jail import tree
from runner.jail.spec import JailLimits

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "convex-leaderboard"
_numbers = itertools.count()
_OWN_PROCESSES = 4
"""bubblewrap's own two and the program that sets the limits, with one to spare."""


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """Folders of one jail under the kernel's control-group tree."""

    folders: tuple[Path, ...]
    whole: bool
    """Whether both memory and processes are held: neither need be watched from here."""

    @property
    def entries(self) -> tuple[str, ...]:
        """The files a process writes itself into to join."""
        return tuple(f"{folder}/cgroup.procs" for folder in self.folders)

    def ran_out_of_memory(self) -> bool:
        """Tell whether the kernel killed something in here for its memory."""
        return any(_oom_kills(folder) for folder in self.folders)

    def kill(self) -> None:
        """Kill whatever is left in here."""
        for entry in self.entries:
            with suppress(OSError):
                pids = [int(pid) for pid in Path(entry).read_text("ascii").split()]
                tree.kill_each([pid for pid in pids if pid != os.getpid()])

    def remove(self) -> bool:
        """Remove the folders; false while the kernel still counts something in them."""
        for folder in self.folders:
            with suppress(FileNotFoundError):
                try:
                    folder.rmdir()
                except OSError:
                    return False
        return True


def create(limits: JailLimits) -> ControlGroup | None:
    """Create a control group with these limits; None where this machine does not let us."""
    name = f"{_PREFIX}-{os.getpid()}-{next(_numbers)}"
    threads = str(limits.processes + _OWN_PROCESSES)
    memory = str(limits.memory_mb * 1_000_000)
    parents = _parents()
    v1 = (
        (parents.get("pids"), {"pids.max": threads}),
        (parents.get("memory"), {"memory.limit_in_bytes": memory}),
    )
    v2 = (
        (
            parents.get("unified"),
            {"pids.max": threads, "memory.max": memory, "memory.oom.group": "1"},
        ),
    )
    wanted = v1 if parents.get("pids") else v2
    made: list[Path] = []
    for parent, settings in wanted:
        if parent is not None and (folder := _create(parent / name, settings)):
            made.append(folder)
    return ControlGroup(tuple(made), whole=len(made) == len(wanted)) if made else None


def remove_stale() -> None:
    """Remove what a run that was killed left behind: its groups are empty by now."""
    for parent in _parents().values():
        for folder in parent.glob(f"{_PREFIX}-*"):
            owner = folder.name.removeprefix(f"{_PREFIX}-").partition("-")[0]
            if not Path(f"/proc/{owner}").exists():
                with suppress(OSError):
                    folder.rmdir()


def _parents() -> dict[str, Path]:
    """Say where groups may be created: by controller (version 1), or ``unified`` (version 2)."""
    if os.geteuid() != 0:
        return {}
    found: dict[str, Path] = {}
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines():
            _, controllers, place = line.split(":", 2)
            for controller in {"pids", "memory"} & set(controllers.split(",")):
                found[controller] = _ROOT / controller / place.strip("/")
    if not found and (_ROOT / "cgroup.controllers").exists():
        # Only the root may both hold processes and hand controllers down.
        found["unified"] = _ROOT
    return {name: folder for name, folder in found.items() if os.access(folder, os.W_OK)}


def _create(folder: Path, settings: dict[str, str]) -> Path | None:
    try:
        folder.mkdir()
    except OSError:
        return None
    try:
        for file, value in settings.items():
            (folder / file).write_text(value, "ascii")
    except OSError:
        folder.rmdir()
        return None
    return folder


def _oom_kills(folder: Path) -> bool:
    for file in ("memory.events", "memory.oom_control"):
        with suppress(OSError):
            for line in (folder / file).read_text("ascii").splitlines():
                name, _, count = line.partition(" ")
                if name == "oom_kill" and int(count):
                    return True
    return False
