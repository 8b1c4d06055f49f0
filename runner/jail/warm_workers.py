"""A store of worker processes that are kept after use, because they start slowly.

It starts few workers, because a worker gets quicker with each use.
"""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, Generic, Protocol, Self, TypeVar

_WAIT_S: Final = 3.0
"""Seconds to wait for a busy worker before another is started."""


class Worker(Protocol):
    """The interface of a worker that is kept between uses."""

    @property
    def usable(self) -> bool:
        """True while the worker can be used again."""
        ...

    def close(self) -> None:
        """End the worker's process."""
        ...


_W = TypeVar("_W", bound=Worker)
_Result = TypeVar("_Result")


class Warm(Generic[_W]):
    """A store of idle workers, which lends them. Safe to use from several threads."""

    def __init__(self, start: Callable[[], _W], wait_s: float = _WAIT_S) -> None:
        """Make an empty store.

        ``start`` starts and returns a worker, or raises. ``wait_s`` is the number of seconds to
        wait for a busy worker before another is started.
        """
        self._start = start
        self._wait_s = wait_s
        self._idle: list[_W] = []
        self._lent = 0
        self._changed = threading.Condition()

    def __enter__(self) -> Self:
        """Return this object; workers start when they are first needed."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the idle workers. No worker may be lent now."""
        self.close()

    def prepare(self) -> None:
        """Start a worker before it is needed, and wait until it is ready.

        Raises the errors of ``start``.
        """
        with self.lend():
            pass

    def use(self, work: Callable[[_W], _Result], *deaths: type[Exception]) -> _Result:
        """Return the result of ``work`` with a worker.

        After one of the errors ``deaths``, another worker tries once more.
        """
        try:
            with self.lend() as worker:
                return work(worker)
        except deaths:
            with self.lend() as worker:
                return work(worker)

    @contextmanager
    def lend(self) -> Generator[_W]:
        """Lend a worker that is idle, or becomes idle within ``wait_s``; else a new worker.

        After the block the worker is kept for the next caller. If the block raises, the worker is
        ended. Raises the errors of ``start``.
        """
        with self._changed:
            if self._lent:
                self._changed.wait_for(lambda: self._idle, self._wait_s)
            idle = self._idle.pop() if self._idle else None
            self._lent += 1
        worker = idle
        try:
            if idle is not None and not idle.usable:
                worker = None
                idle.close()
            worker = worker or self._start()
            yield worker
        except BaseException:
            if worker is not None:
                worker.close()
            self._take_back(None)
            raise
        self._take_back(worker)

    def _take_back(self, worker: _W | None) -> None:
        with self._changed:
            self._lent -= 1
            if worker is not None:
                self._idle.append(worker)
            self._changed.notify_all()

    def close(self) -> None:
        """End the idle workers. Call this when no worker is lent any more."""
        with self._changed:
            workers, self._idle = self._idle, []
        for worker in workers:
            worker.close()
