"""The processes of a jail as the kernel shows them: ids, used resources, and processors."""

import ctypes
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")
_DIE_WITH_PARENT = 1
"""Linux's PR_SET_PDEATHSIG: the signal comes when the thread ends that started this process."""


class Usage(NamedTuple):
    """The resources that a tree of processes uses now; ``threads`` counts all their threads."""

    processes: int
    threads: int
    memory_bytes: int
    cpu_s: float


def walk_members(root: int) -> Iterator[int]:
    """Yield the ids of a process and of all its descendants.

    In a jail's process namespace the first process adopts orphans, so this walk finds them too.
    """
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        waiting.extend(list_children(pid))


def list_children(pid: int) -> list[int]:
    """Return the direct children of a process; empty if it has ended or cannot be read."""
    pids: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - twenty times a second
            with suppress(OSError):
                pids.extend(
                    int(child) for child in _read(f"/proc/{pid}/task/{thread}/children").split()
                )
    return pids


def measure_usage(pids: Iterator[int], enough: int = sys.maxsize) -> Usage:
    """Return the sum of the resources of processes, without processes that ended meanwhile.

    Stops after more than ``enough`` processes, because a fork bomb can start processes faster than
    this function reads them.
    """
    processes = threads = memory = ticks = 0
    for pid in pids:
        if processes > enough:
            break
        with suppress(OSError):
            # The name is in brackets and may contain any character, so the fields are counted
            # from the last bracket.
            fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
            # utime, stime, cutime, cstime (proc(5)): the last two have the children that ended.
            ticks += sum(int(value) for value in fields[11:15])
            processes += 1
            threads += int(fields[17])
            memory += int(fields[21]) * _PAGE
    return Usage(processes, threads, memory, ticks / _TICKS)


def read_start_time(pid: int) -> int | None:
    """Return the start time of a process, in the kernel's ticks; None if there is no process."""
    with suppress(OSError):
        return int(_read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[19])
    return None


def _read(path: str) -> bytes:
    """Read a file of /proc without Python's file objects: this runs hundreds of times a second."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        text = b""
        # A read of /proc returns at most one page.
        while part := os.read(descriptor, _PAGE):
            text += part
        return text
    finally:
        os.close(descriptor)


def kill_each(pids: list[int]) -> None:
    """Send SIGKILL to processes, some of which may have ended already."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def die_with_parent() -> None:
    """Have the kernel end this process with the thread that started it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


class Processors:
    """The number of deployments on each processor. Safe to use from several threads."""

    def __init__(self) -> None:
        """Begin with no deployment on the processors that this process may use."""
        usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
        self._used = Counter(dict.fromkeys(sorted(usable), 0))
        self._lock = threading.Lock()

    def take(self, *roots: int) -> int | None:
        """Move processes and their descendants to the processor with the fewest deployments.

        Returns the number of the processor, which the caller gives back with `give_back`. Returns
        None and moves nothing if there is only one processor or the system cannot move processes.
        """
        if len(self._used) < 2:  # noqa: PLR2004 - one processor is shared anyway
            return None
        with self._lock:
            processor, _ = min(self._used.items(), key=lambda item: item[1])
            self._used[processor] += 1
        for pid in (member for root in roots for member in walk_members(root)):
            # A thread that has ended, or that the kernel refuses to move, is no fault: only the
            # speed depends on this.
            with suppress(OSError):
                for thread in Path(f"/proc/{pid}/task").iterdir():
                    os.sched_setaffinity(int(thread.name), {processor})
        return processor

    def give_back(self, processor: int | None) -> None:
        """Count one deployment less on this processor; None, as `take` returned, does nothing."""
        if processor is None:
            return
        with self._lock:
            self._used[processor] -= 1


def follow(pid: int) -> None:
    """Restrict the calling process, and its later children, to another process's processors."""
    with suppress(OSError, AttributeError):
        os.sched_setaffinity(0, os.sched_getaffinity(pid))


def spread() -> None:
    """Allow the calling process, and its later children, all processors again."""
    # sched_setaffinity ignores processors outside of this process's cpuset.
    with suppress(OSError, AttributeError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
