"""An event loop in a thread of its own, for work that other threads give it."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Self, TypeVar

_T = TypeVar("_T")


class LoopThread:
    """An event loop in a daemon thread; a context manager, whose end cancels all work."""

    def __init__(self, name: str, at_end: Callable[[], Awaitable[None]] | None = None) -> None:
        """Name the thread; ``at_end`` is awaited in it when all work has ended."""
        self._name = name
        self._at_end = at_end

    def __enter__(self) -> Self:
        """Start the thread."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=self._name, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel all work, wait until it ends, and end the thread."""
        try:
            self.run(self._end_work())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def submit(self, work: Coroutine[Any, Any, _T]) -> Future[_T]:
        """Start work in the loop; the future may be cancelled in any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Do work in the loop, and wait for its result."""
        return self.submit(work).result()

    async def _end_work(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._at_end is not None:
            await self._at_end()
