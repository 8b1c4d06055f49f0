"""Control groups: the kernel's own limits on memory, processes and processor time of each jail.

They need root. Without them RLIMIT_NPROC limits the number of processes, and `runner.jail.process`
limits the memory. Both versions of control groups are in use on Debian.
"""

import atexit
import itertools
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from runner.jail.kernel import processes
from runner.jail.limits import JailLimits

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "convex-leaderboard-"
_TOGETHER = "convex-leaderboard"
"""The group that limits the memory of all jails together."""
_CONTROLLERS = ("pids", "memory", "cpu", "cpuacct")
_UNHELD = ("cpu", "cpuacct")
"""Controllers that the limits of memory and processes do not need."""
_numbers = itertools.count()
_OWN_PROCESSES = 4
"""Processes of a jail that are not the program's: two of bubblewrap, prlimit, and one spare."""
_PERIOD_US = 100_000
_PART_OF_PROCESSORS = 0.75
_MOST_PROCESSORS = 4.0
"""The most processors that a jail may use on any machine; honest answers keep one busy."""

_SLACK = 4_000_000
"""The kernel may refuse memory to a group this many bytes below its limit: it counts in batches."""


class ControlGroup(NamedTuple):
    """Folders of one jail under the kernel's control-group tree."""

    folders: tuple[Path, ...]
    whole: bool
    """True if the kernel limits both memory and processes, so that the watch checks them rarely."""

    @property
    def entries(self) -> tuple[str, ...]:
        """The files into which a process writes its id to join the group."""
        return tuple(f"{folder}/cgroup.procs" for folder in self.folders)

    def ran_out_of_memory(self) -> bool:
        """Return true if the kernel killed a process of this group for the jail's own limit."""
        return any(map(_has_passed_memory, self.folders))

    def kill(self) -> None:
        """Kill the remaining processes of the group."""
        for entry in self.entries:
            with suppress(OSError):
                pids = [int(pid) for pid in Path(entry).read_text("ascii").split()]
                # The kernel shows 0 for a process of another container, which is not ours.
                processes.kill_each([pid for pid in pids if pid not in {0, os.getpid()}])

    def remove(self) -> bool:
        """Remove the folders. Return false if the kernel still counts processes or memory in one.

        Call again later in that case.
        """
        for folder in self.folders:
            with suppress(FileNotFoundError):
                try:
                    folder.rmdir()
                except OSError:
                    return False
        return True


class _GroupFolder(NamedTuple):
    """A folder to make in a controller's tree, and the content of its files by name."""

    folder: Path
    settings: Mapping[str, str]
    """Files that must be written: if one cannot be written, the folder is removed again."""
    hopes: Mapping[str, str] = {}
    """Files that may fail to be written."""
    holds: bool = True
    """True if the watch must enforce the limits of this folder when it cannot be made."""


def create(limits: JailLimits) -> ControlGroup | None:
    """Create a control group with these limits; None if this machine does not allow it."""
    parents = _find_parents()
    if not parents:
        return None
    name = f"{_PREFIX}{os.getpid()}-{processes.read_start_time(os.getpid())}-{next(_numbers)}"
    together = _make_common_group(parents)
    planned = _plan_folders({**parents, **together}, name, limits)
    made = [group for group in planned if _make_folder(group)]
    if not made:
        return None
    whole = all(group in made for group in planned if group.holds)
    return ControlGroup(tuple(group.folder for group in made), whole=whole)


def list_left_over_groups() -> list[Path]:
    """Return the folders of the groups that ended runners left behind."""
    parents = {
        parent for folder in _find_parents().values() for parent in (folder, folder / _TOGETHER)
    }
    left: list[Path] = []
    for group in (group for parent in sorted(parents) for group in parent.glob(f"{_PREFIX}*-*-*")):
        owner, started, _ = group.name.removeprefix(_PREFIX).split("-", 2)
        if not owner.isdecimal() or str(processes.read_start_time(int(owner))) != started:
            left.append(group)
    return left


def remove_left_over() -> None:
    """Remove the groups of ended runners, and kill the processes in them.

    The kernel ends a jail together with its runner. Only a jail that was still starting when its
    runner was killed can be left.
    """
    for group in list_left_over_groups():
        left_over = ControlGroup((group,), whole=False)
        left_over.kill()
        left_over.remove()


def read_cpu_s(pid: int) -> float | None:
    """Return the processor seconds of a process's jail, with those of processes that have ended.

    None if the process is in no jail's group, or the group does not count processor time.
    """
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/cgroup").read_text("utf-8").splitlines():
            _, controllers, group = line.split(":", 2)
            if not group.rpartition("/")[2].startswith(_PREFIX):
                continue
            if not controllers:
                used_us = dict(_read_counts(_ROOT / group.strip("/"), "cpu.stat")).get("usage_usec")
                return None if used_us is None else used_us / 1e6
            if "cpuacct" in controllers.split(","):
                used_ns = _read_number(_ROOT / "cpuacct" / group.strip("/") / "cpuacct.usage")
                return None if used_ns is None else used_ns / 1e9
    return None


def _plan_folders(parents: Mapping[str, Path], name: str, limits: JailLimits) -> list[_GroupFolder]:
    """Return the folders to make for a jail, with the content of their files."""
    tasks = str(limits.tasks + _OWN_PROCESSES)
    memory = str(limits.memory_mb * 1_000_000)
    processors = min(len(os.sched_getaffinity(0)) * _PART_OF_PROCESSORS, _MOST_PROCESSORS)
    quota = str(int(processors * _PERIOD_US))
    if "unified" in parents:
        settings = {"pids.max": tasks, "memory.max": memory, "memory.oom.group": "1"}
        hopes = {"memory.swap.max": "0", "cpu.max": f"{quota} {_PERIOD_US}"}
        return [_GroupFolder(parents["unified"] / name, settings, hopes)]
    settings_v1: dict[str, tuple[dict[str, str], dict[str, str]]] = {
        "pids": ({"pids.max": tasks}, {}),
        "memory": ({"memory.limit_in_bytes": memory}, {"memory.memsw.limit_in_bytes": memory}),
        "cpu": ({"cpu.cfs_period_us": str(_PERIOD_US), "cpu.cfs_quota_us": quota}, {}),
        "cpuacct": ({}, {}),
    }
    return [
        _GroupFolder(
            parents[controller] / name, *settings_v1[controller], holds=controller not in _UNHELD
        )
        for controller in _CONTROLLERS
        if controller in parents
    ]


def _make_common_group(parents: Mapping[str, Path]) -> dict[str, Path]:
    """Make the group of all jails: its limit ends jails before this machine's memory is full.

    Return its folder by controller, as the parent for the groups of single jails; empty if the
    group cannot be made.
    """
    controller = "unified" if "unified" in parents else "memory"
    if controller not in parents:
        return {}
    folder = parents[controller] / _TOGETHER
    _remove_at_the_end(folder)
    if not folder.is_dir():
        if controller == "unified":
            most = str(_compute_most_memory(_ROOT / "memory.max"))
            _hand_down(folder.parent)
            made = _make_folder(
                _GroupFolder(folder, {"memory.max": most}, {"memory.swap.max": "0"})
            )
            _hand_down(folder)
        else:
            most = str(_compute_most_memory())
            hopes = {"memory.use_hierarchy": "1", "memory.memsw.limit_in_bytes": most}
            made = _make_folder(_GroupFolder(folder, {"memory.limit_in_bytes": most}, hopes))
        if not made:
            return {}
    return {controller: folder}


def _hand_down(folder: Path) -> None:
    """Enable the controllers of a group of version 2 for the groups below it."""
    for controller in _CONTROLLERS:
        with suppress(OSError):
            (folder / "cgroup.subtree_control").write_text(f"+{controller}", "ascii")


@cache
def _remove_at_the_end(folder: Path) -> None:
    def remove() -> None:
        with suppress(OSError):  # rmdir fails while the group holds jails of another runner
            folder.rmdir()

    atexit.register(remove)


def _compute_most_memory(limit: Path | None = None) -> int:
    """Return the bytes that all jails together may have: the machine's memory minus a reserve.

    ``limit`` is a file with a lower limit of the memory, as in a container.
    """
    has = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if limit is not None and (limit_bytes := _read_number(limit)) is not None:
        has = min(has, limit_bytes)
    return has - min(max(has // 8, 1_000_000_000), has // 4)


def _find_parents() -> dict[str, Path]:
    """Return the parent folders of groups: by controller (version 1) or ``unified`` (version 2)."""
    if os.geteuid() != 0:
        return {}
    folders: dict[str, Path] = {}
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines():
            _, controllers, group = line.split(":", 2)
            for controller in set(_CONTROLLERS) & set(controllers.split(",")):
                folders[controller] = _ROOT / controller / group.strip("/")
    if not folders and (_ROOT / "cgroup.controllers").exists():
        # In cgroup v2 only the root group may hold processes and enable controllers for children.
        folders["unified"] = _ROOT
    return {name: folder for name, folder in folders.items() if os.access(folder, os.W_OK)}


def _make_folder(group: _GroupFolder) -> bool:
    try:
        # exist_ok: another runner on this machine may create the common group at the same moment.
        group.folder.mkdir(exist_ok=True)
    except OSError:
        return False
    try:
        for file, value in group.settings.items():
            (group.folder / file).write_text(value, "ascii")
    except OSError:
        with suppress(OSError):
            group.folder.rmdir()
        return False
    for file, value in group.hopes.items():
        with suppress(OSError):
            (group.folder / file).write_text(value, "ascii")
    return True


def _has_passed_memory(folder: Path) -> bool:
    """Return true if the kernel killed a process because of the group's own limit.

    Kills for the limit of a parent group or of the whole machine do not count: other programs may
    have caused them.
    """
    counts = dict(_read_counts(folder, "memory.events", "memory.oom_control"))
    if not counts.get("oom_kill"):
        return False
    if "oom" in counts:  # version 2
        return counts["oom"] > 0
    used, limit = (
        _read_number(folder / f"memory.{name}_in_bytes") for name in ("max_usage", "limit")
    )
    return used is None or limit is None or used + _SLACK >= limit


def _read_counts(folder: Path, *files: str) -> Iterator[tuple[str, int]]:
    for file in files:
        with suppress(OSError, ValueError):
            for line in (folder / file).read_text("ascii").splitlines():
                name, _, count = line.partition(" ")
                yield name, int(count)


def _read_number(file: Path) -> int | None:
    with suppress(OSError, ValueError):
        return int(file.read_text("ascii"))
    return None
