"""Work on many items, shared out among forked processes."""

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, TypeVar

_FEWEST = 24
"""With fewer items than this, starting processes costs more time than it saves."""

FEW_RUNS = 200
"""A site with fewer runs is built by one process. This takes two thirds of the processor time,
because each worker would compile and escape the texts that all pages share."""

_BATCHES = 256
"""The number of batches; more cost time to hand over, with fewer one worker ends late."""

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def share_out(
    work: Callable[[Thing], Result], things: Sequence[Thing], *, runs: int
) -> Iterator[Result]:
    """Yield the result of ``work`` for each item, in their order; an exception comes in its turn.

    Workers have the memory of this process as it was at the fork, and only their results come back.
    A process with threads must not fork, and a site with few ``runs`` gains nothing: both work
    without workers.

    Raises:
        ChildProcessError: a worker was killed.
    """
    can_fork = sys.platform == "linux" and threading.active_count() == 1
    processes = min(4, len(os.sched_getaffinity(0))) if can_fork else 1
    if len(things) < _FEWEST or runs < FEW_RUNS or processes == 1:
        yield from map(work, things)
        return
    # Workers inherit work and items by the fork, so these need not be picklable.
    pool = ProcessPoolExecutor(processes, get_context("fork"), _Worker.begin, (work, things))
    # Without freezing, a worker's garbage collector would write to every inherited object, and the
    # kernel would copy the memory of all these objects.
    gc.freeze()
    try:
        batch = len(things) // _BATCHES + 1
        results = pool.map(_Worker.do, range(len(things)), chunksize=batch)
        gc.unfreeze()
        yield from results
    except BrokenProcessPool as error:
        raise ChildProcessError("a worker of the build ended before its work did") from error
    finally:
        pool.shutdown(cancel_futures=True)


class _Worker:
    """The work and the items of a worker process, set when the process begins."""

    work: Callable[[Any], Any]
    things: Sequence[Any]

    @classmethod
    def begin(cls, work: Callable[[Any], Any], things: Sequence[Any]) -> None:
        """Set the work and the items of this process, its signals and its garbage collector."""
        cls.work, cls.things = staticmethod(work), things
        # Ctrl-C reaches the whole process group; the parent ends the workers.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.enable()
        gc.set_threshold(50_000, 20, 20)  # a page or two make little garbage

    @classmethod
    def do(cls, index: int) -> Any:  # noqa: ANN401 - as the work returns
        """Return the result for the item at an index."""
        return cls.work(cls.things[index])
