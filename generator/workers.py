"""The same work on many things, shared out among forked processes."""

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess

_FEWEST: Final = 24
"""With fewer things than this, to start processes costs more than it saves."""

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def shared_out(work: Callable[[Thing], Result], things: Sequence[Thing]) -> Iterator[Result]:
    """Yield ``work`` of each thing, in any order; an exception of one of them ends it all.

    Workers see everything as it was when the work began and change nothing here: what they find
    out is what they return. In a process with threads, which must not fork, all is done here.
    """
    processes = _processes()
    if len(things) < _FEWEST or processes == 1:
        yield from map(work, things)
    else:
        yield from _forked(work, things, processes)


def _processes() -> int:
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    return min(4, len(os.sched_getaffinity(0)))


def _forked(
    work: Callable[[Thing], Result],
    things: Sequence[Thing],
    processes: int,
) -> Iterator[Result]:
    context = get_context("fork")
    numbers = _numbers(len(things))
    open_ends: list[Connection] = []
    workers: list[ForkProcess] = []
    # What is there already no worker needs to search for garbage, which would copy its memory.
    gc.freeze()
    for _ in range(processes):
        here, there = context.Pipe(duplex=False)
        _widen(there)
        worker = context.Process(target=_work, args=(work, things, numbers, there), daemon=True)
        worker.start()
        there.close()
        open_ends.append(here)
        workers.append(worker)
    gc.unfreeze()
    os.close(numbers)
    try:
        while open_ends:
            for end in cast("list[Connection]", wait(open_ends)):
                done, results = _received(end)
                if done:
                    open_ends.remove(end)
                yield from results
    finally:
        for worker in workers:
            if open_ends:
                worker.terminate()
            worker.join()


_PIPE: Final = 1 << 20
"""Bytes that a worker may be ahead of whoever takes its results: the most that Linux grants."""


def _widen(end: Connection) -> None:
    from fcntl import F_SETPIPE_SZ, fcntl  # noqa: PLC0415 - not on every system, as forking

    with suppress(OSError):  # a user may have too many wide ones: then this one stays as it is
        fcntl(end.fileno(), F_SETPIPE_SZ, _PIPE)


_AT_ONCE: Final = 4096
"""Numbers of four bytes that fit a pipe of 64 KB nobody reads from yet, with room to spare."""


def _numbers(length: int) -> int:
    """Return a pipe that holds where each batch begins: whoever is free takes the next."""
    reading, writing = os.pipe()
    for start in range(0, length, length // _AT_ONCE + 1):
        os.write(writing, start.to_bytes(4, "little"))
    os.close(writing)
    return reading


def _received(end: Connection) -> tuple[bool, list[Any]]:
    try:
        kind, value = end.recv()
    except EOFError as error:
        raise ChildProcessError("a worker of the build ended before its work did") from error
    if kind == "failed":
        raise value
    return kind == "last", value


_SELDOM: Final = (50_000, 20, 20)
"""How much a worker makes before it looks for garbage: a page or two make little of it."""

_BATCH: Final = 32
"""Results that a worker sends at once."""


def _work(
    work: Callable[[Thing], Result], things: Sequence[Thing], numbers: int, there: Connection
) -> None:
    # Ctrl-C reaches the whole group: whoever awaits the results ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.enable()
    gc.set_threshold(*_SELDOM)
    results: list[Result] = []
    step = len(things) // _AT_ONCE + 1
    try:
        while number := os.read(numbers, 4):
            start = int.from_bytes(number, "little")
            results += [work(thing) for thing in things[start : start + step]]
            if len(results) >= _BATCH:
                there.send(("some", results))
                results = []
        there.send(("last", results))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where it is awaited
        there.send(("failed", error))
