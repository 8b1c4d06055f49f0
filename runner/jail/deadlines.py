"""Waiting for jailed programs: time in which one waited for a processor is not its own.

A limit on the clock is passed sooner on a machine that is slow or has much to do. The kernel counts
for each thread how long it was ready to run and did not: that time is given back, up to a bound.
Time in which the jail's own processes and threads ran is not given back: a program that waits for
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
"""How many times its limit a wait may last, however long a program waited for a processor."""

_HOLDERS: Final = frozenset({"bwrap", "nice", "prlimit", "setpriv", "sh"})
"""Names of programs that start a jailed one, or hold it."""
_NANO: Final = 1e9
_FRESH_S: Final = 0.05
"""For how long a reading is used again: a grader's requests ask hundreds of times."""


class Deadline:
    """How long to wait for something, from now on."""

    def __init__(self, limit_s: float, waited_s: Callable[[], float]) -> None:
        """Wait for ``limit_s``, and for as long as ``waited_s`` grows meanwhile."""
        self._limit_s = limit_s
        self._waited_s = waited_s
        self._before = waited_s()
        self._began = time.monotonic()

    def left_s(self) -> float:
        """Return for how long to wait on; nothing or less where the limit has passed."""
        left = self._limit_s - (time.monotonic() - self._began)
        if left > 0:
            return left
        waited = max(self._waited_s() - self._before, 0)
        return left + min(waited, (MOST - 1) * self._limit_s)


def read_line(process: JailedProcess, deadline: Deadline) -> bytes:
    """Read the next line of a program. Raises as its own ``read_line`` does."""
    while (left := deadline.left_s()) > 0:
        with suppress(TimeoutError):
            return process.read_line(left)
    raise TimeoutError


class _WaitReading(NamedTuple):
    """Seconds: how long programs waited, and the processor time of the rest of their jails."""

    waited_s: float
    rest_s: float


class ProcessorWaits:
    """How long jailed programs have waited for processors that others used.

    ``trusted`` jails run programs of ours alone: the waits of all their processes count. Of the
    others only the waits of the first program do, for its children may wait on purpose.
    """

    def __init__(self, *roots: int, trusted: tuple[int, ...] = ()) -> None:
        """Take the processes that hold the programs."""
        self._roots = (*roots, *trusted)
        self._nearest = roots
        self._trusted = trusted
        self._total_s = 0.0
        self._lock = threading.Lock()
        self._read_at = time.monotonic()
        self._last = self._read()

    def __call__(self) -> float:
        """Return the seconds so far; what is not known counts as 0.

        From the waits between two calls, the time that the rest of the jails used is taken.
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
        """Find the first program of each jail; each is found once, for this is asked often.

        What was found is looked at again each time: a process that is about to execute a holder
        keeps the name of the process that forked it until the very end of ``execve``.
        """
        found = [(known, _held_by(known)) for known in self._nearest]
        self._nearest = tuple(known if program is None else program for known, program in found)
        return [program for _, program in found if program is not None]


def own_waited_s() -> float:
    """Return how long this process has waited for a processor."""
    return _ran_and_waited_s(os.getpid())[1]


def _used_s(root: int) -> float:
    """Return the processor time of a jail: from its group, else of all its processes."""
    used_s = cgroups.cpu_s(root)
    return processes.usage(processes.members(root)).cpu_s if used_s is None else used_s


def _held_by(root: int) -> int | None:
    """Find the first program below a process that is not there to hold another."""
    waiting = [root]
    while waiting:
        pid = waiting.pop(0)
        with suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip() not in _HOLDERS:
                return pid
        waiting += processes.children(pid)
    return None


def _ran_and_waited_s(pid: int) -> tuple[float, float]:
    """Read what the kernel counts of a process's first thread; 0 where it does not tell."""
    with suppress(OSError, ValueError, IndexError):
        ran, waited = Path(f"/proc/{pid}/schedstat").read_bytes().split()[:2]
        return int(ran) / _NANO, int(waited) / _NANO
    return 0.0, 0.0
