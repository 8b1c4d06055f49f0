"""Whether a provider, or one of its models, is worth asking: judged by failures in a row."""

from dataclasses import dataclass, field
from typing import Final

from records.attempt import FaultClass

LONGEST_DOUBT: Final = 8
"""First pauses at most between two requests that only test whether anybody answers."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long queues pause, and bear with failures."""

    first_s: float = 1.0
    """Seconds of the first pause; each after it is twice as long."""
    longest_s: float = 60.0
    """Seconds at most that a queue pauses, whatever a provider asks for."""
    endurance: float = 1.0
    """What the times that troubles may last are multiplied with."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A failure that says something of more requests than the one that failed."""

    of_provider: bool
    """Whether it concerns the provider, and not only the model that was asked."""
    strikes: int
    """Failures without a success between them after which nobody asks any more."""
    lasting_s: float = 0.0
    """Seconds that they must have lasted for that."""
    doubted_at: int = 1
    """Failures from which requests go one at a time until one succeeds."""
    text: str = ""
    """What the failures have in common, where only equal ones count, to different prompts."""


NO_ACCESS: Final = Trouble(of_provider=True, strikes=3)
"""The key is refused, or the account has no credit."""
NO_MODEL: Final = Trouble(of_provider=False, strikes=3)
"""The provider does not have the model."""
UNJUDGED: Final = Trouble(of_provider=False, strikes=3)
"""Replies come, and end in a way of which nobody here knows the meaning: each costs money."""
UNREACHABLE: Final = Trouble(of_provider=True, strikes=3, lasting_s=20)
"""No connection could be made: a server may be about to start again."""
LIMITED: Final = Trouble(of_provider=False, strikes=3, lasting_s=90, doubted_at=1_000_000)
"""Asked too much. Its queue lowers the concurrency limit and pauses by itself."""
BROKEN: Final = Trouble(of_provider=False, strikes=20, lasting_s=90, doubted_at=10)
"""Errors of the server: some prompts may bring them about, so one attempt proves little."""
SILENT: Final = Trouble(of_provider=False, strikes=6, doubted_at=3)
"""Nothing came for as long as a model may be silent, which is long already."""


UNSENT: Final = Trouble(of_provider=False, strikes=1)
"""A request could not be made at all, by a fault of this program: no other would fare better."""


def alike(text: str) -> Trouble:
    """Return the trouble of a request that is refused by ``text``, without ids, digits and times.

    Three prompts that are refused in the same words are not at fault: the account or the model is.
    """
    return Trouble(of_provider=False, strikes=3, text=text)


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """A request that failed."""

    kind: FaultClass
    evidence: str
    """What was seen, without keys."""
    prompt: str
    """Digest of what was asked."""
    taken_at: float
    """When the request went out, on the monotonic clock."""


@dataclass(slots=True)
class _Streak:
    began: float
    count: int = 0
    prompts: set[str] = field(default_factory=set[str])
    """Digests of the prompts that failed, where only different ones count."""


class CircuitBreaker:
    """What failures since the last success say of a provider, or of a model."""

    def __init__(self, title: str, pace: Pace) -> None:
        """Name it for readers."""
        self.title = title
        self.in_flight = 0
        self.open_reason: OpenReason | None = None
        """Why nobody asks any more; None while it is asked."""
        self._pace = pace
        self._streaks: dict[Trouble, _Streak] = {}
        self._last: FailedRequest | None = None
        self._doubts = 0
        self._doubted_at = 0.0
        self._next_at = 0.0

    def admits(self, now: float) -> bool:
        """Tell whether a request may go out now."""
        return not self._doubts or (self.in_flight == 0 and now >= self._next_at)

    @property
    def opens_at(self) -> float:
        """When the next request may go out at the earliest, on the monotonic clock."""
        return self._next_at if self._doubts else 0.0

    def succeeded(self) -> None:
        """Forget every failure: it is alive."""
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
        """Give up where the rules say so; return whether that is new.

        Not while more than ``in_flight`` requests are under way: each may yet succeed. A pause that
        outlasts what a trouble may last is not waited for.
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
    """Why a provider or a model is asked no more."""

    kind: FaultClass
    title: str
    """Of the provider or the model."""
    strikes: int
    """Failures in a row."""
    evidence: str
    """What the last of them said, without keys."""

    def __str__(self) -> str:
        """Say it in one line."""
        if self.strikes == 1:
            return f"a request to {self.title} failed: {self.evidence}"
        return f"{self.strikes} requests to {self.title} failed in a row, the last: {self.evidence}"
