"""Workers that are slow to start and stay: one for each that asks at once."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, Protocol, TypeVar


class Worker(Protocol):
    """What is kept."""

    @property
    def usable(self) -> bool:
        """Whether it may be asked again."""
        ...

    def close(self) -> None:
        """End it."""
        ...


_W = TypeVar("_W", bound=Worker)


class Warm(Generic[_W]):
    """Workers by their state: idle ones wait here. Safe to use from several threads."""

    def __init__(self, start: Callable[[], _W]) -> None:
        """Start nothing yet; ``start`` makes a worker, or raises."""
        self._start = start
        self._idle: list[_W] = []
        self._lock = threading.Lock()

    def prepare(self, workers: int) -> None:
        """Start workers ahead of need, at once, and return when all are ready."""
        with ThreadPoolExecutor(workers) as threads:
            started = [threads.submit(self._start) for _ in range(workers)]
        # Those that did start are kept, and ended with the rest.
        for one in started:
            if one.exception() is None:
                self.give_back(one.result())
        for one in started:
            one.result()

    def take(self) -> _W:
        """Take an idle worker, or a new one where none is usable."""
        with self._lock:
            idle = self._idle.pop() if self._idle else None
        if idle is None:
            return self._start()
        if idle.usable:
            return idle
        idle.close()
        return self._start()

    def give_back(self, worker: _W) -> None:
        """Keep a worker for whoever asks next."""
        with self._lock:
            self._idle.append(worker)

    def close(self) -> None:
        """End the workers that are idle; none is busy by now."""
        with self._lock:
            workers, self._idle = self._idle, []
        for worker in workers:
            worker.close()
