"""Rows of an export of many sessions, made by worker processes, in the order of the sessions."""

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from review.exports.formats import ExportCounts
from review.exports.rows import Row

FEWEST: Final = 500
"""Number of sessions; for fewer sessions, the start of processes takes longer than it saves."""
_MOST_PROCESSES: Final = 2
_SESSIONS_AT_ONCE: Final = 16
"""Number of sessions in a part of the work; their rows are in memory together."""
_LARGEST_SHARED: Final = 64 * 1024
"""Bytes of a record. The rows of a larger session are made in this process, one at a time, because
there may be hundreds, each with all messages before it."""
_PARTS_AHEAD: Final = 4
"""Number of parts that workers make in advance."""

MakeRows = Callable[[Sequence[Path], ExportCounts], Iterator[Row]]
"""A function that yields the rows of the sessions at paths, and adds to the counts."""

_Part = tuple[list[Row], ExportCounts]


def can_share() -> bool:
    """Return whether workers can be used: on Linux, with two processors, without other threads.

    A process with threads must not fork.
    """
    return (
        sys.platform == "linux"
        and threading.active_count() == 1
        and len(os.sched_getaffinity(0)) > 1
    )


def make_rows_in_workers(
    make: MakeRows, paths: Sequence[Path], counts: ExportCounts
) -> Generator[Row]:
    """Yield the rows of the sessions at ``paths``, in their order, and add to ``counts``.

    Raises:
        ChildProcessError: a worker was killed.
    """
    # Workers get ``make`` by the fork, so it need not be picklable.
    pool = ProcessPoolExecutor(_MOST_PROCESSES, get_context("fork"), _RowWorker.begin, (make,))
    try:
        waiting: deque[Future[_Part] | Sequence[Path]] = deque()
        parts = _split_paths(paths)
        while True:
            for part, is_large in islice(parts, _PARTS_AHEAD - len(waiting)):
                waiting.append(part if is_large else pool.submit(_RowWorker.make_part, part))
            if not waiting:
                return
            first = waiting.popleft()
            if isinstance(first, Future):
                rows, part_counts = first.result()
                counts.take_in(part_counts)
                yield from rows
            else:
                yield from make(first, counts)
    except BrokenProcessPool as error:
        reason = "a worker of the export was killed: export again, with more free memory"
        raise ChildProcessError(reason) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _split_paths(paths: Sequence[Path]) -> Iterator[tuple[Sequence[Path], bool]]:
    """Yield the parts of the work, and whether a part is one large session."""
    part: list[Path] = []
    for path in paths:
        if _is_large(path):
            if part:
                yield part, False
            yield [path], True
            part = []
            continue
        part.append(path)
        if len(part) == _SESSIONS_AT_ONCE:
            yield part, False
            part = []
    if part:
        yield part, False


def _is_large(path: Path) -> bool:
    try:
        return path.lstat().st_size > _LARGEST_SHARED
    except OSError:
        return False  # the reader of the record reports the error


class _RowWorker:
    """The work of a worker process."""

    make: MakeRows

    @classmethod
    def begin(cls, make: MakeRows) -> None:
        """Prepare a worker process."""
        cls.make = staticmethod(make)
        # Ctrl-C reaches all processes; the parent then ends its workers.
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    @classmethod
    def make_part(cls, paths: Sequence[Path]) -> _Part:
        """Return the rows of sessions, and their counts."""
        counts = ExportCounts()
        return [dict(row) for row in cls.make(paths, counts)], counts
