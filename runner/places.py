"""Places for attempts, so that no more of them than a limit do the same at once."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Self


class AttemptPlaces:
    """Places of one kind, such as those of answers without a verdict. For one event loop."""

    def __init__(self, limit: Callable[[], int]) -> None:
        """Give no more than ``limit()`` places at once; the limit may change."""
        self._limit = limit
        self._count = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self) -> None:
        """Wait for a place, first come first served, and take it."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        self.wake()
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self.leave()  # the place was given while the wait was being cancelled
            else:
                with suppress(ValueError):
                    self._waiting.remove(future)
            raise

    def take_now(self) -> None:
        """Take a place at once, even over the limit."""
        self._count += 1

    def leave(self) -> None:
        """Give a place back."""
        self._count -= 1
        self.wake()

    def wake(self) -> None:
        """Give places to waiting attempts, as far as the limit allows it now."""
        while self._waiting and self._count < self._limit():
            future = self._waiting.popleft()
            if not future.done():
                self._count += 1
                future.set_result(None)


class AttemptPlace:
    """The place of one attempt, given back at the end; a context manager."""

    def __init__(self, places: AttemptPlaces | None) -> None:
        """Take one of ``places``; None has no limit, as for a baseline, which costs nothing."""
        self._places = places
        self._is_taken = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_taken and self._places is not None:
            self._places.leave()

    async def take(self) -> None:
        """Wait for the place."""
        if self._places is not None:
            await self._places.take()
            self._is_taken = True

    def take_now(self) -> None:
        """Take the place at once, for an answer that was paid for before."""
        if self._places is not None:
            self._places.take_now()
            self._is_taken = True
