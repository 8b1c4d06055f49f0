"""The limit on answers without verdicts; a provider that reaches it gets no further requests.

The user of a run can thus stop it after the first bad verdicts, before all answers are paid for.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from runner.models.concurrency.provider_queue import ProviderQueue

CONCURRENCIES: Final = 2
"""The default limit is this number times the requests at once with which a provider begins."""

PER_GRADER: Final = 2
"""The answers that the default limit adds for each grader, which grades one answer at a time."""


def default_limit(queue: ProviderQueue, graders: int) -> int:
    """Return the most answers of a provider without a verdict, if the user sets no limit.

    The limit grows with the number of requests at once that the provider was found to take.
    """
    return max(CONCURRENCIES * queue.start, queue.limit) + PER_GRADER * graders


class AnswersAhead:
    """The count of requested answers of one provider without a verdict; for one event loop."""

    def __init__(self, limit: Callable[[], int]) -> None:
        """Store ``limit``, which returns the most answers without a verdict at each moment."""
        self._limit = limit
        self._count = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def count(self) -> int:
        """The number of answers without a verdict now."""
        return self._count

    async def take(self) -> None:
        """Wait until the count is below the limit, first come first served, and add one to it."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        self.wake()
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self.leave()  # the count was raised while the wait was being cancelled
            else:
                with suppress(ValueError):
                    self._waiting.remove(future)
            raise

    def take_now(self) -> None:
        """Add one to the count at once, even above the limit: the answer was paid for before."""
        self._count += 1

    def leave(self) -> None:
        """Take one from the count: an answer has its verdict, or will not come."""
        self._count -= 1
        self.wake()

    def wake(self) -> None:
        """Let waiting attempts go on, as many as the limit allows now."""
        while self._waiting and self._count < self._limit():
            future = self._waiting.popleft()
            if not future.done():
                self._count += 1
                future.set_result(None)


class PlaceAhead:
    """The share of one attempt in the count; a context manager that takes it back at the end."""

    def __init__(self, answers: AnswersAhead | None) -> None:
        """Store the count; None for a baseline, whose answers cost nothing."""
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
        """Wait until the count is below its limit, and raise it."""
        if self._answers is not None:
            await self._answers.take()
            self._is_taken = True

    def take_now(self) -> None:
        """Raise the count at once, for an answer that was paid for before."""
        if self._answers is not None:
            self._answers.take_now()
            self._is_taken = True
