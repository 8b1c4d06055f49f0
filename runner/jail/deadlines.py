"""Waiting for jailed programs: time in which one waited for a processor is not its own.

A limit on the clock is passed sooner on a machine that is slow or has much to do. The kernel counts
for each thread how long it was ready to run and did not: that time is given back, up to a bound.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from runner.jail.kernel import processes
from runner.jail.process import JailedProcess

MOST: Final = 10
"""How many times its limit a wait may last, however long a program waited for a processor."""

_HOLDERS: Final = frozenset({"bwrap", "nice", "prlimit", "setpriv", "sh"})
"""Names of programs that start a jailed one, or hold it."""
_NANO: Final = 1e9


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


class ProcessorWaits:
    """How long jailed programs have waited for a processor; asked often, so each is found once."""

    def __init__(self, *roots: int) -> None:
        """Take the processes that hold the programs."""
        self._nearest = roots

    def __call__(self) -> float:
        """Return the seconds that they waited since they began; 0 where that is not known.

        What was found is looked at again each time: a process that is about to execute a holder
        keeps the name of the process that forked it until the very end of ``execve``.
        """
        found = [(known, _held_by(known)) for known in self._nearest]
        self._nearest = tuple(known if program is None else program for known, program in found)
        return sum(_waited_s(program) for _, program in found if program is not None)


def all_waited_s(*roots: int) -> float:
    """Return how long processes and those that descend from them have waited for a processor."""
    return sum(_waited_s(pid) for root in roots for pid in processes.members(root))


def own_waited_s() -> float:
    """Return how long this process has waited for a processor."""
    return _waited_s(os.getpid())


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


def _waited_s(pid: int) -> float:
    """Read what the kernel counts of a process's first thread; 0 where it does not tell."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/schedstat").read_bytes().split()[1]) / _NANO
    return 0.0
