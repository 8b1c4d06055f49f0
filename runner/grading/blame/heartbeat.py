"""A detector of times in which this process stood still.

Limits that passed at such a time prove nothing about an answer. A thread ticks regularly, and
compares the times of two ticks. A late tick shows that the process was stopped, the interpreter
blocked, or the machine suspended or far too busy.
"""

import threading
import time
from collections import deque
from typing import Final, Self

_TICK_S: Final = 0.25
_LATE_S: Final = 2.0
"""A tick that is later than this by seconds is a gap; it is less than grading's shortest limit."""
_KEPT: Final = 1000
"""The most gaps that are remembered."""


class Heartbeat:
    """The ticking thread, which runs during a ``with`` block."""

    def __init__(self, tick_s: float = _TICK_S, late_s: float = _LATE_S) -> None:
        """Prepare the thread without starting it."""
        self._tick_s = tick_s
        self._late_s = late_s
        self._last = time.monotonic()
        self._gaps: deque[float] = deque(maxlen=_KEPT)
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        """Start to tick."""
        self._last = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop ticking."""
        self._over.set()
        self._thread.join()

    def read_time(self) -> float:
        """Return the present time, for a later call of ``stood_still_since``."""
        return time.monotonic()

    def stood_still_since(self, moment: float) -> bool:
        """Return true if a gap ended after ``moment``, a result of ``now``, or ends now."""
        # After a stop this thread may run before the ticking thread, so it also checks the gap.
        self._tick()
        with self._lock:
            return any(ended > moment for ended in self._gaps)

    def _beat(self) -> None:
        while not self._over.wait(self._tick_s):
            self._tick()

    def _tick(self) -> None:
        with self._lock:
            now = time.monotonic()
            if now - self._last > self._tick_s + self._late_s:
                self._gaps.append(now)
            self._last = now
