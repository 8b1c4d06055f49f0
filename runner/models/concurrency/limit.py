"""The concurrency limit of a queue: refusals lower it; successes or more text raise it."""

from dataclasses import dataclass, field
from typing import Final

HELPS: Final = 1.1
"""A higher limit must multiply the text per second by this factor, or the old limit returns."""

SAMPLES: Final = 2
"""The fewest replies that measure the speed at a limit, after a first reply that is ignored."""


@dataclass(slots=True)
class Sent:
    """A request in flight, with what its concurrency limit needs."""

    at: float
    """The time when the request was sent, on the monotonic clock."""
    width: int
    """The concurrency limit at that time."""


@dataclass(slots=True)
class _Measured:
    """Measurements of the requests that were made at one limit."""

    replies: int = 0
    characters: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class ConcurrencyLimit:
    """The number of requests that may be in flight to one provider.

    The limit rises with each success and is halved at each refusal. A limit that begins with 1 is
    for a server of unknown capacity. It is doubled as long as this brings more text per second,
    and never again exceeds the value to which a refusal or a lost connection reduced it.
    """

    start: int
    ceiling: int
    _now: float = field(init=False)
    _climbing: bool = field(init=False)
    _before: tuple[int, float] | None = None
    """The last limit that brought more text, and its characters per second."""
    _measured: _Measured = field(default_factory=_Measured)
    _shrunk_at: float = 0.0

    def __post_init__(self) -> None:
        """Set the limit to ``start``, or to the ceiling if this is lower."""
        self._now = float(min(self.start, self.ceiling))
        self._climbing = self.start == 1

    @property
    def limit(self) -> int:
        """The number of requests that may be in flight now; at least 1."""
        return max(1, int(self._now))

    def record_success(self, sent: Sent, characters: int, now: float) -> None:
        """Raise the limit a little; a limit that began with 1 changes by measurement."""
        if not self._climbing:
            self._now = min(self.ceiling, self._now + 1 / max(1.0, self._now))
        elif sent.width == self.limit < self.ceiling:
            self._measure(sent, characters, now)

    def record_refusal(self, sent: Sent, busy: int, now: float) -> bool:
        """Halve the limit, and return true, unless the refusal is old.

        It is old if the request was in flight already when the limit was last halved, because then
        it shows nothing new.
        """
        if sent.at < self._shrunk_at:
            return False
        self._now = max(1.0, min(self._now, busy) / 2)
        self._shrunk_at = now
        if self._climbing:
            self.ceiling = self.limit
        return True

    def record_lost_connection(self, sent: Sent, busy: int, now: float) -> None:
        """Halve the limit if other requests were in flight when a connection was lost.

        Some servers take only a few connections.
        """
        if busy > 1:
            self.record_refusal(sent, busy, now)

    def _measure(self, sent: Sent, characters: int, now: float) -> None:
        width, measured = self.limit, self._measured
        measured.replies += 1
        if measured.replies == 1:
            return
        measured.characters += max(1, characters)
        measured.seconds += now - sent.at
        if measured.replies <= max(SAMPLES, width):
            return
        # The characters per second of all requests together.
        speed = width * measured.characters / max(measured.seconds, 1e-9)
        self._measured = _Measured()
        if self._before is not None and speed < HELPS * self._before[1]:
            self.ceiling = self._before[0]
            self._now = float(self.ceiling)
            return
        self._before = (width, speed)
        self._now = float(min(2 * width, self.ceiling))
