"""Workers that are slow to start and stay: few, for each gets quicker with what it does."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, Generic, Protocol, TypeVar

_WAIT_S: Final = 3.0
"""How long to wait for one that is at work before another is started."""


class Worker(Protocol):
    """What is kept."""

    @property
    def usable(self) -> bool:
        """Whether it may be asked again."""
        ...

    def close(self) -> None:
        """End the worker's process."""
        ...


_W = TypeVar("_W", bound=Worker)


class Warm(Generic[_W]):
    """Workers by their state: idle ones wait here. Safe to use from several threads."""

    def __init__(self, start: Callable[[], _W], wait_s: float = _WAIT_S) -> None:
        """Start nothing yet; ``start`` makes a worker, or raises."""
        self._start = start
        self._wait_s = wait_s
        self._idle: list[_W] = []
        self._lent = 0
        self._changed = threading.Condition()

    def prepare(self) -> None:
        """Start a worker ahead of need, and return when it is ready; raise what starting raises."""
        with self.lend():
            pass

    @contextmanager
    def lend(self) -> Generator[_W]:
        """Lend a worker that is idle or soon will be, or else a new one.

        It is kept for whoever asks next, unless the borrower raises: then it is ended.
        """
        with self._changed:
            if self._lent:
                self._changed.wait_for(lambda: self._idle, self._wait_s)
            idle = self._idle.pop() if self._idle else None
            self._lent += 1
        worker = None
        try:
            worker = self._made_usable(idle)
            yield worker
        except BaseException:
            if worker is not None:
                worker.close()
            self._take_back(None)
            raise
        self._take_back(worker)

    def _made_usable(self, idle: _W | None) -> _W:
        if idle is not None and idle.usable:
            return idle
        if idle is not None:
            idle.close()
        return self._start()

    def _take_back(self, worker: _W | None) -> None:
        with self._changed:
            self._lent -= 1
            if worker is not None:
                self._idle.append(worker)
            self._changed.notify_all()

    def close(self) -> None:
        """End the workers that are idle; none is lent by now."""
        with self._changed:
            workers, self._idle = self._idle, []
        for worker in workers:
            worker.close()
