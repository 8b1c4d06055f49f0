"""Moves processes that wait for each other all the time to one processor.

The two processes of a deployment exchange thousands of messages in a test, and never work at the
same time. By default the kernel wakes each process on another, idle processor, which costs several
times as much as the message: 1,000 inserts took 0.66 s of processor time on two processors, 0.30 s
on a single processor.
"""

import os
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path

from runner.jail.kernel import processes


class Processors:
    """Gives each deployment the processor with the fewest deployments. Safe for many threads."""

    def __init__(self) -> None:
        """Start with the processors that this process may use."""
        usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
        self._used = Counter(dict.fromkeys(sorted(usable), 0))
        self._lock = threading.Lock()

    def take(self, *roots: int) -> int | None:
        """Move processes and their descendants to one processor, and return its number.

        The caller gives it back with `give_back`. Returns None, with nothing moved, where there is
        only one processor or the system has no such function.
        """
        if len(self._used) < 2:  # noqa: PLR2004 - one processor is shared anyway
            return None
        with self._lock:
            processor, _ = min(self._used.items(), key=lambda item: item[1])
            self._used[processor] += 1
        for pid in (member for root in roots for member in processes.members(root)):
            _move(pid, processor)
        return processor

    def give_back(self, processor: int | None) -> None:
        """Record that the processes on this processor have ended."""
        if processor is None:
            return
        with self._lock:
            self._used[processor] -= 1


def follow(pid: int) -> None:
    """Move the calling process, and its later children, to the processors of another process."""
    with suppress(OSError, AttributeError):
        os.sched_setaffinity(0, os.sched_getaffinity(pid))


def spread() -> None:
    """Let the calling process, and its later children, use every processor again."""
    # sched_setaffinity ignores processors outside of this process's cpuset.
    with suppress(OSError, AttributeError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))


def _move(pid: int, processor: int) -> None:
    # A thread that has ended, or that the kernel does not let us move, stays as it is: only speed
    # depends on it.
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {processor})
