"""The reference as control: it shows whether the answer is to blame when grading breaks.

An answer may break one of our programs that reads it, such as the bundler, the linter or the
grading worker. Then the eval's reference is graded as the control. If grading breaks on the
reference too, the attempt is infrastructure. If it breaks only on the answer, and a second time,
the answer has failed. An answer on which a judge model gave no verdict stays infrastructure.

Output from a jail does not need the control: the answer is responsible for all of it.

Limits that passed while this process stood still prove nothing about an answer either, so such an
answer is graded again.
"""

import threading
import time
from collections import deque
from typing import Final, Protocol, Self

from records.shapes.attempt import Outcome, Step, StepName

TRIES: Final = 3
"""The most gradings of an answer if this process stands still during each of them."""
_TICK_S: Final = 0.25
_LATE_S: Final = 2.0
"""A tick that is later than this by seconds is a gap; it is less than grading's shortest limit."""
_KEPT: Final = 1000
"""The most gaps that are remembered."""


class Judged(Protocol):
    """The parts of a verdict that this module reads."""

    @property
    def steps(self) -> tuple[Step, ...]: ...  # noqa: D102


def find_broken_step(verdict: Judged) -> StepName | None:
    """Return the first step that could not be judged; None if all could."""
    broken = (step.name for step in verdict.steps if step.outcome is Outcome.INFRASTRUCTURE)
    return next(broken, None)


def is_judged_at(control: Judged, name: StepName) -> bool:
    """Return true if the step ``name`` judged the reference, and no step broke on it."""
    judged = {step.name for step in control.steps if step.outcome is not Outcome.INFRASTRUCTURE}
    return name in judged and find_broken_step(control) is None


class Heartbeat:
    """A detector of times in which this process stood still, for a ``with`` block.

    A thread ticks regularly, and compares the times of two ticks. A late tick shows that the
    process was stopped, the interpreter blocked, or the machine suspended or far too busy.
    """

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
