"""Notices when this process stood still: no limit that passed meanwhile says anything.

A thread ticks on the monotonic clock. A tick that comes late tells of a process that was stopped,
an interpreter that was blocked, or a machine that was suspended or far too busy.
"""

import threading
import time
from collections import deque
from typing import Final, Self

_TICK_S: Final = 0.25
_LATE_S: Final = 2.0
"""A tick as late as this is a gap: less than the shortest limit that grading has."""
_KEPT: Final = 1000
"""Gaps that are remembered."""


class Heartbeat:
    """The thread, from the beginning to the end of a block."""

    def __init__(self, tick_s: float = _TICK_S, late_s: float = _LATE_S) -> None:
        """Start nothing yet."""
        self._tick_s = tick_s
        self._late_s = late_s
        self._last = time.monotonic()
        self._gaps: deque[float] = deque(maxlen=_KEPT)
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        """Begin to tick."""
        self._last = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Tick no more."""
        self._over.set()
        self._thread.join()

    def now(self) -> float:
        """Return a moment that ``stood_still_since`` may be asked about."""
        return time.monotonic()

    def stood_still_since(self, moment: float) -> bool:
        """Tell whether a gap ended after a moment, or is ending now."""
        # After a stop the calling thread may run before the ticking thread: note the gap here too.
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
