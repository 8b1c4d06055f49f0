"""Decides from failures in a row whether a provider or a model gets more requests."""

from dataclasses import dataclass, field
from typing import Final

from records.shapes.attempt import FaultClass

LONGEST_DOUBT: Final = 8
"""The longest pause between two requests that only test a provider, in first pauses."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Lengths of the pauses of queues, and their patience with failures."""

    first_s: float = 1.0
    """Seconds of the first pause; each after it is twice as long."""
    longest_s: float = 60.0
    """Seconds of the longest pause, even if a provider asks for more."""
    endurance: float = 1.0
    """Factor of the times that troubles may last."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A failure that concerns more requests than the failed request."""

    of_provider: bool
    """True where it concerns the provider, and not only the model that was asked."""
    strikes: int
    """Failures in a row after which no more requests are sent."""
    lasting_s: float = 0.0
    """Seconds that the failures must have lasted for this."""
    doubted_at: int = 1
    """Failures from which requests go one at a time until one succeeds."""
    text: str = ""
    """The common text of the failures, where only failures of different prompts with it count."""


NO_ACCESS: Final = Trouble(of_provider=True, strikes=3)
"""The key is refused, or the account has no credit."""
NO_MODEL: Final = Trouble(of_provider=False, strikes=3)
"""The provider does not have the model."""
UNJUDGED: Final = Trouble(of_provider=False, strikes=3)
"""Replies come with ends of unknown meaning: each costs money."""
UNREACHABLE: Final = Trouble(of_provider=True, strikes=3, lasting_s=20)
"""No connection could be made: a server may be about to start again."""
LIMITED: Final = Trouble(of_provider=False, strikes=3, lasting_s=90, doubted_at=1_000_000)
"""Too many requests. The queue lowers the concurrency limit and pauses by itself."""
BROKEN: Final = Trouble(of_provider=False, strikes=20, lasting_s=90, doubted_at=10)
"""Errors of the server: some prompts may bring them about, so one attempt proves little."""
SILENT: Final = Trouble(of_provider=False, strikes=6, doubted_at=3)
"""Silence for as long as a model may be silent, which is long already."""


UNSENT: Final = Trouble(of_provider=False, strikes=1)
"""No request can be made, by a fault of this program: another would not fare better."""


def alike(text: str) -> Trouble:
    """Return the trouble of requests refused with ``text``, without ids, digits and times.

    If three prompts are refused in the same words, the cause is the account or the model.
    """
    return Trouble(of_provider=False, strikes=3, text=text)


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """A request that failed."""

    kind: FaultClass
    evidence: str
    """The text of the error, without keys."""
    prompt: str
    """The digest of the prompt."""
    taken_at: float
    """The time when the request went out, on the monotonic clock."""


@dataclass(slots=True)
class _Streak:
    began: float
    count: int = 0
    prompts: set[str] = field(default_factory=set[str])
    """Digests of the prompts that failed, where repeated prompts do not count."""


class CircuitBreaker:
    """Failures of a provider, or of a model, since its last success."""

    def __init__(self, title: str, pace: Pace) -> None:
        """Start without failures; ``title`` names the provider or model for readers."""
        self.title = title
        self.in_flight = 0
        self.open_reason: OpenReason | None = None
        """The reason why no more requests are sent; None while they are."""
        self._pace = pace
        self._streaks: dict[Trouble, _Streak] = {}
        self._last: FailedRequest | None = None
        self._doubts = 0
        self._doubted_at = 0.0
        self._next_at = 0.0

    def admits(self, now: float) -> bool:
        """Return whether a request may go out now."""
        return not self._doubts or (self.in_flight == 0 and now >= self._next_at)

    @property
    def opens_at(self) -> float:
        """The earliest time of the next request, on the monotonic clock."""
        return self._next_at if self._doubts else 0.0

    def succeeded(self) -> None:
        """Forget every failure: the provider or model answers."""
        self._streaks.clear()
        self._doubts = 0
        self.open_reason = None

    def failed(self, trouble: Trouble, failure: FailedRequest, now: float) -> None:
        """Count a failure."""
        streak = self._streaks.setdefault(trouble, _Streak(now))
        if trouble.text:
            if failure.prompt in streak.prompts:
                return
            streak.prompts.add(failure.prompt)
        streak.count += 1
        self._last = failure
        # Requests that were in flight at the same time fail for one cause: they count as one pause.
        if streak.count >= trouble.doubted_at and failure.taken_at >= self._doubted_at:
            pause = min(LONGEST_DOUBT, 2**self._doubts)
            self._doubts += 1
            self._doubted_at = now
            self._next_at = now + pause * self._pace.first_s

    def judge(self, now: float, paused_until: float, in_flight: int) -> bool:
        """Give up where the rules require it; return whether that is new.

        Not done while more than ``in_flight`` requests are under way: each may yet succeed. A pause
        that lasts longer than a trouble may is not waited for.
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
                last = self._last
                self.open_reason = OpenReason(last.kind, self.title, streak.count, last.evidence)
                return True
        return False


@dataclass(frozen=True, slots=True)
class OpenReason:
    """The reason why a provider or a model gets no more requests."""

    kind: FaultClass
    title: str
    """The title of the provider or the model."""
    strikes: int
    """Failures in a row."""
    evidence: str
    """The error of the last failure, without keys."""

    def __str__(self) -> str:
        """Return the reason in one line."""
        if self.strikes == 1:
            return f"a request to {self.title} failed: {self.evidence}"
        return f"{self.strikes} requests to {self.title} failed in a row, the last: {self.evidence}"
