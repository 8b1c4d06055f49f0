"""Time limits of jailed programs, without the time that a program waited for a processor.

A limit on the clock is passed sooner on a slow or busy machine. The kernel counts for each thread
how long it was ready to run and did not run: the limit is extended by that time, up to a bound.
Time in which the jail's own processes and threads ran does not extend it: a program that waits for
its own children waits for nobody else.
"""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from runner.jail.kernel import cgroups, processes
from runner.jail.process import JailedProcess

MOST: Final = 10
"""The longest wait in multiples of its limit, even if a program waited longer for a processor."""

_HOLDERS: Final = frozenset({"bwrap", "nice", "prlimit", "setpriv", "sh"})
"""Names of the programs that start or hold a jailed program."""
_NANO: Final = 1e9
_FRESH_S: Final = 0.05
"""Seconds for which a reading is used again: a grader's requests need hundreds of readings."""


class Deadline:
    """The end of a wait that begins when this object is made."""

    def __init__(self, limit_s: float, waited_s: Callable[[], float]) -> None:
        """Wait for ``limit_s``, and for as long as ``waited_s`` grows meanwhile."""
        self._limit_s = limit_s
        self._waited_s = waited_s
        self._before = waited_s()
        self._began = time.monotonic()

    def left_s(self) -> float:
        """Return the seconds that are left to wait; 0 or less when the limit has passed."""
        remaining_s = self._limit_s - (time.monotonic() - self._began)
        if remaining_s > 0:
            return remaining_s
        waited = max(self._waited_s() - self._before, 0)
        return remaining_s + min(waited, (MOST - 1) * self._limit_s)


def read_line(process: JailedProcess, deadline: Deadline) -> bytes:
    """Read the next line of a program. Raises the errors of its method ``read_line``."""
    while (remaining_s := deadline.left_s()) > 0:
        with suppress(TimeoutError):
            return process.read_line(remaining_s)
    raise TimeoutError


class _WaitReading(NamedTuple):
    """Seconds that programs waited, and processor seconds of the other processes of their jails."""

    waited_s: float
    rest_s: float


class ProcessorWaits:
    """The time that jailed programs have waited for processors that other programs used.

    ``trusted`` jails run only our own programs: the waits of all their processes count. In the
    other jails only the waits of the first program count, because its children may wait on purpose.
    """

    def __init__(self, *roots: int, trusted: tuple[int, ...] = ()) -> None:
        """Start to count; ``roots`` and ``trusted`` are ids of the processes that hold programs."""
        self._roots = (*roots, *trusted)
        self._nearest = roots
        self._trusted = trusted
        self._total_s = 0.0
        self._lock = threading.Lock()
        self._read_at = time.monotonic()
        self._last = self._read()

    def __call__(self) -> float:
        """Return the seconds so far; an unknown time counts as 0.

        The time that other processes of the jails used between two calls is subtracted.
        """
        with self._lock:
            if time.monotonic() - self._read_at > _FRESH_S:
                self._read_at = time.monotonic()
                before, self._last = self._last, self._read()
                own_s = max(self._last.rest_s - before.rest_s, 0)
                self._total_s += max(self._last.waited_s - before.waited_s - own_s, 0)
            return self._total_s

    def _read(self) -> _WaitReading:
        trusted = [pid for root in self._trusted for pid in processes.members(root)]
        times = [_ran_and_waited_s(pid) for pid in (*self._programs(), *trusted)]
        used_s = sum(map(_used_s, self._roots))
        return _WaitReading(
            sum(waited for _, waited in times), used_s - sum(ran for ran, _ in times)
        )

    def _programs(self) -> list[int]:
        """Find the first program of each jail, and remember it: this function is called often.

        A remembered process is checked again each time: a process that is about to execute a holder
        keeps the name of the process that forked it until the very end of ``execve``.
        """
        programs = [(pid, _held_by(pid)) for pid in self._nearest]
        self._nearest = tuple(pid if program is None else program for pid, program in programs)
        return [program for _, program in programs if program is not None]


def own_waited_s() -> float:
    """Return the seconds that this process has waited for a processor."""
    return _ran_and_waited_s(os.getpid())[1]


def _used_s(root: int) -> float:
    """Return the processor seconds of a jail: of its control group, else of all its processes."""
    used_s = cgroups.cpu_s(root)
    return processes.usage(processes.members(root)).cpu_s if used_s is None else used_s


def _held_by(root: int) -> int | None:
    """Find the first program, from a process downwards, that is none of the holders."""
    waiting = [root]
    while waiting:
        pid = waiting.pop(0)
        with suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip() not in _HOLDERS:
                return pid
        waiting += processes.children(pid)
    return None


def _ran_and_waited_s(pid: int) -> tuple[float, float]:
    """Read the seconds that a process's first thread ran and waited; 0 where unknown."""
    with suppress(OSError, ValueError, IndexError):
        ran, waited = Path(f"/proc/{pid}/schedstat").read_bytes().split()[:2]
        return int(ran) / _NANO, int(waited) / _NANO
    return 0.0, 0.0
