"""The concurrency limit of a queue: refusals lower it, more text per second raises it."""

from dataclasses import dataclass, field
from typing import Final

HELPS: Final = 1.1
"""Factor by which a higher limit must raise the text per second, or the earlier limit returns."""

SAMPLES: Final = 2
"""The fewest replies that measure a width, after a first reply that warms the server up."""


@dataclass(slots=True)
class Sent:
    """A request in flight, as its concurrency limit sees it."""

    at: float
    """The time when it went out, on the monotonic clock."""
    width: int
    """The limit of requests in flight at that time."""


@dataclass(slots=True)
class _Measured:
    """Measurements of the requests that were made at one limit."""

    replies: int = 0
    characters: int = 0
    seconds: float = 0.0

    def speed(self, width: int) -> float:
        """Return characters per second of all requests together."""
        return width * self.characters / max(self.seconds, 1e-9)


@dataclass(slots=True)
class ConcurrencyLimit:
    """The number of requests that may be in flight to one provider.

    A provider's limit rises with each success and halves with each refusal. A limit that begins
    with a single request belongs to a server of unknown capacity: it doubles while this brings
    more text per second, and never again exceeds the limit at which connections were lost.
    """

    start: int
    ceiling: int
    _now: float = field(init=False)
    _climbing: bool = field(init=False)
    _before: tuple[int, float] | None = None
    """The last limit that helped, and its speed."""
    _measured: _Measured = field(default_factory=_Measured)
    _shrunk_at: float = 0.0

    def __post_init__(self) -> None:
        """Begin with ``start``, within the ceiling."""
        self._now = float(min(self.start, self.ceiling))
        self._climbing = self.start == 1

    @property
    def limit(self) -> int:
        """The number of requests that may be in flight now; at least 1."""
        return max(1, int(self._now))

    def succeeded(self, sent: Sent, characters: int, now: float) -> None:
        """Raise the limit: a little, or by measurement where the limit began with 1."""
        if not self._climbing:
            self._now = min(self.ceiling, self._now + 1 / max(1.0, self._now))
        elif sent.width == self.limit < self.ceiling:
            self._measure(sent, characters, now)

    def refused(self, sent: Sent, busy: int, now: float) -> bool:
        """Halve the limit; return whether it fell.

        Refusals of requests that were already in flight when the limit last fell carry no new
        information, and do not lower it again.
        """
        if sent.at < self._shrunk_at:
            return False
        self._now = max(1.0, min(self._now, busy) / 2)
        self._shrunk_at = now
        if self._climbing:
            self.ceiling = self.limit
        return True

    def lost(self, sent: Sent, busy: int, now: float) -> None:
        """Halve the limit if a connection was lost beside others: some servers serve only a few."""
        if busy > 1:
            self.refused(sent, busy, now)

    def _measure(self, sent: Sent, characters: int, now: float) -> None:
        width, measured = self.limit, self._measured
        measured.replies += 1
        if measured.replies == 1:
            return
        measured.characters += max(1, characters)
        measured.seconds += now - sent.at
        if measured.replies <= max(SAMPLES, width):
            return
        speed = measured.speed(width)
        self._measured = _Measured()
        if self._before is not None and speed < HELPS * self._before[1]:
            self.ceiling = self._before[0]
            self._now = float(self.ceiling)
            return
        self._before = (width, speed)
        self._now = float(min(2 * width, self.ceiling))
