"""The same work on many things, shared out among forked processes."""

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, Final, TypeVar

_FEWEST: Final = 24
"""With fewer things than this, to start processes costs more than it saves."""

FEW_RUNS: Final = 200
"""A site of fewer runs is built by one process, which takes two thirds of the processor time: each
worker escapes and compiles the texts anew that all have in common."""

_BATCHES: Final = 256
"""Batches that work is cut into: more cost time to hand over, fewer leave one worker busy last."""

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def shared_out(
    work: Callable[[Thing], Result], things: Sequence[Thing], *, runs: int
) -> Iterator[Result]:
    """Yield ``work`` of each thing, in any order; an exception of one of them ends it all.

    Workers see everything as it was when the work began and change nothing here: they only return
    results. In a process with threads, which must not fork, and for a site of few ``runs`` all is
    done here.

    Raises:
        ChildProcessError: a worker was killed.
    """
    processes = _processes()
    if len(things) < _FEWEST or runs < FEW_RUNS or processes == 1:
        yield from map(work, things)
    else:
        yield from _forked(work, things, processes)


def _processes() -> int:
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return min(4, len(os.sched_getaffinity(0)))


def _forked(
    work: Callable[[Thing], Result], things: Sequence[Thing], processes: int
) -> Iterator[Result]:
    # Work and things reach the workers by the fork, and need not be fit for pickling.
    pool = ProcessPoolExecutor(processes, get_context("fork"), _Worker.begin, (work, things))
    step = len(things) // _BATCHES + 1
    # Without freezing, a worker's garbage collector would write to every object that is there
    # already, and the kernel would copy the memory of all of them.
    gc.freeze()
    try:
        starts = range(0, len(things), step)
        batches = as_completed([pool.submit(_Worker.batch, at, at + step) for at in starts])
        gc.unfreeze()
        for batch in batches:
            yield from batch.result()
    except BrokenProcessPool as error:
        raise ChildProcessError("a worker of the build ended before its work did") from error
    finally:
        pool.shutdown(cancel_futures=True)


class _Worker:
    """The work that a worker process has, from its fork on."""

    work: Callable[[Any], Any]
    things: Sequence[Any]

    @classmethod
    def begin(cls, work: Callable[[Any], Any], things: Sequence[Any]) -> None:
        """Prepare this process."""
        cls.work, cls.things = staticmethod(work), things
        # Ctrl-C reaches the whole group of processes: the parent ends the others.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.enable()
        gc.set_threshold(50_000, 20, 20)  # a page or two make little garbage

    @classmethod
    def batch(cls, start: int, end: int) -> list[Any]:
        """Work on the things between two places."""
        return [cls.work(item) for item in cls.things[start:end]]
