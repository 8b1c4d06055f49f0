"""How many requests are in flight to each provider: adapts to what the provider bears.

Additive increase, multiplicative decrease: each success lets a little more through, each refusal
halves the lane of that provider and no other. Waiters are served in the order they came.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

GROWTH: Final = 8
"""A lane grows to at most this many times its start, unless a ceiling was given."""


@dataclass(slots=True)
class Slot:
    """A place in a lane, held while a request is in flight."""

    taken_at: float
    """Monotonic seconds."""


class Lane:
    """Requests to one provider. For one event loop; not thread-safe."""

    def __init__(self, start: int, ceiling: int) -> None:
        """Begin with ``start`` requests at once, never more than ``ceiling``."""
        self._limit = float(min(start, ceiling))
        self._ceiling = ceiling
        self._busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._paused_until = 0.0
        self._shrunk_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def limit(self) -> int:
        """How many requests may be in flight now; at least 1."""
        return max(1, int(self._limit))

    @property
    def busy(self) -> int:
        """How many requests are in flight now."""
        return self._busy

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[Slot]:
        """Wait for a place, first come first served, and hold it."""
        await self._take()
        try:
            yield Slot(time.monotonic())
        finally:
            self._busy -= 1
            self._wake()

    def succeeded(self) -> None:
        """Let a little more through: one more request per lane's worth of successes."""
        self._limit = min(self._ceiling, self._limit + 1 / max(1.0, self._limit))
        self._wake()

    def refused(self, slot: Slot, retry_after_s: float | None) -> None:
        """Halve the lane, and let nobody in for ``retry_after_s`` seconds where it is given.

        Refusals of requests that were already in flight when the lane last shrank say nothing
        new, and do not shrink it again.
        """
        now = time.monotonic()
        if slot.taken_at >= self._shrunk_at:
            self._limit = max(1.0, min(self._limit, self._busy) / 2)
            self._shrunk_at = now
        if retry_after_s:
            self._paused_until = max(self._paused_until, now + retry_after_s)

    async def _take(self) -> None:
        if not self._waiting and self._open():
            self._busy += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self._wake()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._busy -= 1  # the place was given while the wait was being cancelled
            else:
                with suppress(ValueError):  # passed over already, if others were cancelled too
                    self._waiting.remove(place)
            self._wake()
            raise

    def _open(self) -> bool:
        return self._busy < self.limit and time.monotonic() >= self._paused_until

    def _wake(self) -> None:
        while self._waiting and self._open():
            place = self._waiting.popleft()
            if place.cancelled():
                continue
            self._busy += 1
            place.set_result(None)
        if self._waiting and self._timer is None:
            wait = self._paused_until - time.monotonic()
            if wait > 0:
                self._timer = asyncio.get_running_loop().call_later(wait, self._unpause)

    def _unpause(self) -> None:
        self._timer = None
        self._wake()


class Lanes:
    """A lane per provider, shared by all runs of one execution."""

    def __init__(self, concurrency: int | None = None) -> None:
        """Make lanes on demand; ``concurrency`` replaces every model's own start and ceiling."""
        self._concurrency = concurrency
        self._lanes: dict[str, Lane] = {}

    def lane(self, provider: str, start: int) -> Lane:
        """Return the lane of ``provider``, made with ``start`` requests at once if it is new."""
        lane = self._lanes.get(provider)
        if lane is None:
            own = self._concurrency
            lane = Lane(own, own) if own else Lane(start, start * GROWTH)
            self._lanes[provider] = lane
        return lane
