"""Time limits of jailed programs, without the time that a program waited for a processor.

On a busy machine a program reaches a limit of wall time sooner. The kernel counts, for each thread,
the time in which the thread was ready to run and did not run. The limit is extended by that time,
at most to ``MOST`` times the limit. Time in which other processes and threads of the same jail ran
does not extend the limit, because then the program did not wait for other programs.
"""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from runner.jail.kernel import cgroups, processes
from runner.jail.limits import MOST
from runner.jail.process import JailedProcess

_HOLDERS = frozenset({"bwrap", "nice", "prlimit", "setpriv", "sh"})
"""Names of the programs through which a jail starts its own program."""
_NANO = 1e9
_FRESH_S = 0.05
"""Seconds for which a reading is used again, because a grader's requests need hundreds of them."""


class Deadline:
    """The end of a wait that begins when this object is made."""

    def __init__(self, limit_s: float, waited_s: Callable[[], float] = lambda: 0.0) -> None:
        """Begin a wait of ``limit_s`` seconds.

        ``waited_s`` returns how many seconds the program has waited for a processor so far. The
        seconds by which this number grows are added to the limit.
        """
        self._limit_s = limit_s
        self._waited_s = waited_s
        self._before = waited_s()
        self._began = time.monotonic()

    def compute_left_s(self) -> float:
        """Return the seconds until the end of the wait; 0 or less after its end."""
        remaining_s = self._limit_s - (time.monotonic() - self._began)
        if remaining_s > 0:
            return remaining_s
        waited = max(self._waited_s() - self._before, 0)
        return remaining_s + min(waited, (MOST - 1) * self._limit_s)


def read_line(process: JailedProcess, deadline: Deadline) -> bytes:
    """Return the next line that a program prints, without its line feed.

    Raises TimeoutError after the deadline, JailEndedError if the program ended before a whole line.
    """
    while (remaining_s := deadline.compute_left_s()) > 0:
        with suppress(TimeoutError):
            return process.read_line(remaining_s)
    raise TimeoutError


def read_marked_line(process: JailedProcess, mark: str, deadline: Deadline) -> bytes:
    """Return the next line that begins with a mark, without the mark; earlier lines are skipped.

    Code of the model may print lines, and does not know the mark. Raises as `read_line` does.
    """
    prefix = mark.encode()
    while not (line := read_line(process, deadline)).startswith(prefix):
        pass
    return line.removeprefix(prefix)


class ProcessorWaits:
    """The time that jailed programs have waited for processors that other programs used.

    ``trusted`` jails run only our own programs, so the waits of all their processes count. In other
    jails only the waits of the first program count, because this program may start children in
    order to lengthen its limit.
    """

    def __init__(self, *roots: int, trusted: tuple[int, ...] = ()) -> None:
        """Start to count; ``roots`` and ``trusted`` are the values of `JailedProcess.pid`."""
        self._roots = (*roots, *trusted)
        self._nearest = roots
        self._trusted = trusted
        self._total_s = 0.0
        self._lock = threading.Lock()
        self._read_at = time.monotonic()
        self._last = self._read()

    def __call__(self) -> float:
        """Return the seconds so far; an unknown time counts as 0.

        The processor time that other processes of the jails used since the last reading is
        subtracted from the new seconds.
        """
        with self._lock:
            if time.monotonic() - self._read_at > _FRESH_S:
                self._read_at = time.monotonic()
                (waited_s, others_s), self._last = self._last, self._read()
                own_s = max(self._last[1] - others_s, 0)
                self._total_s += max(self._last[0] - waited_s - own_s, 0)
            return self._total_s

    def _read(self) -> tuple[float, float]:
        """Return the seconds that programs waited, and those that their jails' others ran."""
        # Programs that were found are remembered, because this runs often. Each call checks them
        # again: a process that is about to execute a holder has the name of the process that
        # forked it until the end of ``execve``.
        programs = [(pid, _find_program(pid)) for pid in self._nearest]
        self._nearest = tuple(pid if program is None else program for pid, program in programs)
        nearest = [program for _, program in programs if program is not None]
        trusted = [pid for root in self._trusted for pid in processes.walk_members(root)]
        times = [_read_ran_and_waited_s(pid) for pid in (*nearest, *trusted)]
        used_s = 0.0
        for root in self._roots:
            # Without a control group, only the jail's running processes count.
            counted_s = cgroups.read_cpu_s(root)
            if counted_s is None:
                counted_s = processes.measure_usage(processes.walk_members(root)).cpu_s
            used_s += counted_s
        return sum(waited for _, waited in times), used_s - sum(ran for ran, _ in times)


def read_own_waited_s() -> float:
    """Return the seconds that this process has waited for a processor."""
    return _read_ran_and_waited_s(os.getpid())[1]


def _find_program(root: int) -> int | None:
    """Return the first process, of ``root`` and its descendants, that is none of the holders.

    None if all of them are holders.
    """
    waiting = [root]
    while waiting:
        pid = waiting.pop(0)
        with suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip() not in _HOLDERS:
                return pid
        waiting += processes.list_children(pid)
    return None


def _read_ran_and_waited_s(pid: int) -> tuple[float, float]:
    """Return the seconds that the first thread of a process ran and waited; 0 if unknown."""
    with suppress(OSError, ValueError, IndexError):
        ran, waited = Path(f"/proc/{pid}/schedstat").read_bytes().split()[:2]
        return int(ran) / _NANO, int(waited) / _NANO
    return 0.0, 0.0
