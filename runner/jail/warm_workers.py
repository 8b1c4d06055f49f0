"""A store of worker processes that are kept after use, because they start slowly.

It starts few workers, because a worker gets quicker with each use.
"""

import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Hashable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, Protocol, Self, TypeVar

import runner

_WAIT_S = 3.0
"""Seconds to wait for a busy worker before another is started."""


def start_module(
    module: str, descriptor: int, variables: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    """Start a module of ours, which gets an open file, as a program outside of jails.

    The program has neither keys nor settings of the user, only ``variables``.
    """
    return subprocess.Popen(
        [sys.executable, "-m", module, str(descriptor)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[descriptor],
        env={"LANG": "C.UTF-8", "PYTHONPATH": str(Path(runner.__file__).parents[1]), **variables},
    )


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
    """A store of idle workers, which lends them. Safe to use from several threads.

    The workers may be of several kinds; a kind is the tuple of the arguments with which a worker
    starts.
    """

    def __init__(
        self, start: Callable[..., _W], wait_s: float = _WAIT_S, most_idle: int = sys.maxsize
    ) -> None:
        """Make an empty store.

        ``start`` starts and returns a worker, or raises. ``wait_s`` is the number of seconds to
        wait for a busy worker before another is started. Of more than ``most_idle`` idle workers
        the oldest is ended.
        """
        self._start = start
        self._wait_s = wait_s
        self._most_idle = most_idle
        self._idle: list[tuple[tuple[Hashable, ...], _W]] = []
        self._lent = 0
        self._changed = threading.Condition()

    def __enter__(self) -> Self:
        """Return this object; workers start when they are first needed."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the idle workers. No worker may be lent now."""
        with self._changed:
            workers, self._idle = self._idle, []
        for _kind, worker in workers:
            worker.close()

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
    def lend(self, *kind: Hashable) -> Generator[_W]:
        """Lend a worker that is idle, or becomes idle within ``wait_s``; else a new worker.

        After the block the worker is kept for the next caller. If the block raises, the worker is
        ended. Raises the errors of ``start``.
        """
        with self._changed:
            if self._lent and self._wait_s:
                self._changed.wait_for(lambda: self._find_idle(kind), self._wait_s)
            idle = self._find_idle(kind)
            if idle is not None:
                self._idle.remove((kind, idle))
            self._lent += 1
        worker = idle
        try:
            if idle is not None and not idle.usable:
                worker = None
                idle.close()
            worker = worker or self._start(*kind)
            yield worker
        except BaseException:
            if worker is not None:
                worker.close()
            self._take_back(kind, None)
            raise
        self._take_back(kind, worker)

    def _find_idle(self, kind: tuple[Hashable, ...]) -> _W | None:
        """Return the worker of a kind that came back last."""
        return next((worker for each, worker in reversed(self._idle) if each == kind), None)

    def _take_back(self, kind: tuple[Hashable, ...], worker: _W | None) -> None:
        excess: _W | None = None
        with self._changed:
            self._lent -= 1
            if worker is not None:
                self._idle.append((kind, worker))
                if len(self._idle) > self._most_idle:
                    _, excess = self._idle.pop(0)
            self._changed.notify_all()
        if excess is not None:
            excess.close()
