"""The choice of processors for processes: the two processes of a deployment share a processor.

They exchange thousands of messages in a test, and never work at the same time. By default the
kernel wakes each of them on another, idle processor, which costs several times as much as the
message. 1,000 inserts took 0.66 s of processor time on two processors, and 0.30 s on one processor.
"""

import os
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path

from runner.jail.kernel import processes


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
        for pid in (member for root in roots for member in processes.walk_members(root)):
            _move(pid, processor)
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


def _move(pid: int, processor: int) -> None:
    # A thread that has ended, or that the kernel refuses to move, is no fault: only the speed
    # depends on this.
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {processor})
