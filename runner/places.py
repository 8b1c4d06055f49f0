"""Places for attempts, so that no more of them than a limit do the same at once."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress


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

    def leave(self) -> None:
        """Give a place back."""
        self._count -= 1
        self.wake()

    @asynccontextmanager
    async def hold(self, *, over_limit: bool = False) -> AsyncGenerator[None]:
        """Hold a place in the block: after a wait for it, or at once if ``over_limit``."""
        if over_limit:
            self._count += 1
        else:
            await self.take()
        try:
            yield
        finally:
            self.leave()

    def wake(self) -> None:
        """Give places to waiting attempts, as far as the limit allows it now."""
        while self._waiting and self._count < self._limit():
            future = self._waiting.popleft()
            if not future.done():
                self._count += 1
                future.set_result(None)
