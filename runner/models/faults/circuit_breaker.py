"""Circuit breakers, which end the requests to a provider or model after failures in a row."""

import hashlib
from dataclasses import dataclass, field
from typing import NamedTuple

from records.shapes.attempt import Fault
from runner.models.tokens import Prompt

LONGEST_DOUBT = 8
"""The longest pause between two requests that only test a provider, in times the first pause."""


class Pace(NamedTuple):
    """The lengths of pauses of a queue and between tries, and the patience with failures."""

    first_s: float = 1.0
    """The first pause, in seconds; each further pause is twice as long."""
    longest_s: float = 60.0
    """The longest pause, in seconds, even if a provider asks for a longer one."""
    endurance: float = 1.0
    """The factor by which each `Trouble.lasting_s` is multiplied."""


class Trouble(NamedTuple):
    """A kind of failure that also predicts the failure of later requests."""

    of_provider: bool = False
    """True if it concerns all models of the provider, and not only the model that was asked."""
    strikes: int = 3
    """The failures in a row after which no more requests are sent, if they lasted `lasting_s`."""
    lasting_s: float = 0.0
    """The seconds that the failures must have lasted before no more requests are sent."""
    doubted_at: int = 1
    """The failures in a row after which requests are sent one at a time, until one succeeds."""
    text: str = ""
    """The text that all refusals share, without ids, digits and times; empty for other troubles.

    If it is set, each prompt counts only once: if three prompts are refused with the same text, the
    cause is the account or the model, and not the prompts.
    """


NO_ACCESS = Trouble(of_provider=True)
"""The key is refused, or the account has no credit: this concerns all models of the key."""
NO_MODEL = Trouble()
"""The provider does not have the model, or not for this key."""
UNJUDGED = Trouble()
"""Replies end with unknown finish reasons: they cannot be judged, and each costs money."""
UNREACHABLE = Trouble(of_provider=True, lasting_s=20)
"""No connection could be made; the server may be restarting."""
LIMITED = Trouble(lasting_s=90, doubted_at=1_000_000)
"""Too many requests. The queue lowers the concurrency limit and pauses by itself."""
BROKEN = Trouble(strikes=20, lasting_s=90, doubted_at=10)
"""The server reports errors; a single prompt may cause them, so a few errors prove little."""
SILENT = Trouble(strikes=6, doubted_at=3)
"""The server was silent for the longest time that the model may be, which is long already."""


UNSENT = Trouble(strikes=1)
"""This program failed to make the request, and would fail again."""


@dataclass(slots=True)
class _Streak:
    began: float
    count: int = 0
    prompts: set[bytes] = field(default_factory=set[bytes])
    """Digests of the failed prompts, if each prompt counts only once; else empty."""


class CircuitBreaker:
    """The failures of a provider or a model since its last success."""

    def __init__(self, title: str, pace: Pace) -> None:
        """Start without failures; ``title`` names the provider or model for readers."""
        self.title = title
        self.in_flight = 0
        self.open_reason: Fault | None = None
        """The reason why no more requests are sent; None while requests are sent.

        It has the number of failures in a row, and the error of the last one, without keys.
        """
        self._pace = pace
        self._streaks: dict[Trouble, _Streak] = {}
        self._last: Fault | None = None
        self._doubts = 0
        self._doubted_at = 0.0
        self._next_at = 0.0

    def admits(self, now: float) -> bool:
        """Return whether a request may be sent now."""
        return not self._doubts or (self.in_flight == 0 and now >= self._next_at)

    @property
    def opens_at(self) -> float:
        """The earliest time of the next request, on the monotonic clock."""
        return self._next_at if self._doubts else 0.0

    def record_success(self) -> None:
        """Forget all failures, because the provider or model has answered."""
        self._streaks.clear()
        self._doubts = 0
        self.open_reason = None

    def record_failure(
        self, trouble: Trouble, fault: Fault, messages: Prompt, sent_at: float, now: float
    ) -> None:
        """Count the failure of a request with these messages; ``fault`` must contain no key."""
        streak = self._streaks.setdefault(trouble, _Streak(now))
        if trouble.text:
            written = repr(messages).encode("utf-8", "replace")
            if (prompt := hashlib.sha256(written).digest()) in streak.prompts:
                return
            streak.prompts.add(prompt)
        streak.count += 1
        self._last = fault
        # Requests that were in flight together fail for one cause, so they lengthen the pause once.
        if streak.count >= trouble.doubted_at and sent_at >= self._doubted_at:
            pause = min(LONGEST_DOUBT, 2**self._doubts)
            self._doubts += 1
            self._doubted_at = now
            self._next_at = now + pause * self._pace.first_s

    def judge(self, now: float, paused_until: float, in_flight: int) -> bool:
        """Decide whether requests end, and store the reason; return true if they end now.

        They go on while more than ``in_flight`` requests are under way, because each may succeed.
        ``paused_until`` is the end of the queue's pause: a trouble that would last too long at that
        time ends the requests already now.
        """
        if self.open_reason is not None or self._last is None or self.in_flight > in_flight:
            return False
        next_at = max(now, paused_until, self.opens_at)
        for trouble, streak in self._streaks.items():
            lasted = next_at - streak.began
            if (
                streak.count >= trouble.strikes
                and lasted >= trouble.lasting_s * self._pace.endurance
            ):
                failed = (
                    f"a request to {self.title} failed"
                    if streak.count == 1
                    else f"{streak.count} requests to {self.title} failed in a row, the last"
                )
                self.open_reason = Fault.cut(self._last.kind, f"{failed}: {self._last.evidence}")
                return True
        return False
