"""The answers without verdicts: no model gets more requests while they are too many.

So the user of a run can stop it after the first bad verdicts, before all answers are paid for.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from runner.models.concurrency.provider_queue import ProviderQueue

CONCURRENCIES: Final = 2
"""The default limit is so many times the number of requests with which a provider begins."""

PER_GRADER: Final = 2
"""Answers beyond that for each grader, which grades one of them."""


def default_limit(queue: ProviderQueue, graders: int) -> int:
    """Return the most answers of a provider that may be ahead, if the user sets no limit.

    A provider that takes more requests at once, by measure or success, may have that many.
    """
    return max(CONCURRENCIES * queue.start, queue.limit) + PER_GRADER * graders


class AnswersAhead:
    """Requested answers of one provider that have no verdict. For one event loop."""

    def __init__(self, limit: Callable[[], int]) -> None:
        """Let no more than ``limit()`` answers be ahead; the limit may change."""
        self._limit = limit
        self._count = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def count(self) -> int:
        """The number of answers that are ahead now."""
        return self._count

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
        """Take a place at once, even over the limit: the answer was paid for before."""
        self._count += 1

    def leave(self) -> None:
        """Give a place back: its answer has a verdict, or will not come."""
        self._count -= 1
        self.wake()

    def wake(self) -> None:
        """Give places to waiting attempts, as far as the limit allows it now."""
        while self._waiting and self._count < self._limit():
            future = self._waiting.popleft()
            if not future.done():
                self._count += 1
                future.set_result(None)


class PlaceAhead:
    """The place of one attempt, given back at the end; a context manager."""

    def __init__(self, answers: AnswersAhead | None) -> None:
        """Take places among ``answers``; None for a baseline, which costs nothing."""
        self._answers = answers
        self._is_taken = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._is_taken and self._answers is not None:
            self._answers.leave()

    async def take(self) -> None:
        """Wait for the place."""
        if self._answers is not None:
            await self._answers.take()
            self._is_taken = True

    def take_now(self) -> None:
        """Take the place at once, for an answer that was paid for before."""
        if self._answers is not None:
            self._answers.take_now()
            self._is_taken = True
