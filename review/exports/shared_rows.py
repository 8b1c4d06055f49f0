"""Rows of an export of many sessions: worker processes make them, in the order of the sessions."""

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
"""With fewer sessions, to start processes costs more than it saves."""
_MOST_PROCESSES: Final = 2
_SESSIONS_AT_ONCE: Final = 16
"""Sessions that a worker makes to rows, which are in memory together."""
_LARGEST_SHARED: Final = 64 * 1024
"""Bytes of a record; the rows of a larger session are made here, each when it is asked for: there
may be hundreds, and each may hold all messages before it."""
_PARTS_AHEAD: Final = 4
"""Parts that workers make before they are asked for."""

MakeRows = Callable[[Sequence[Path], ExportCounts], Iterator[Row]]
"""Yields the rows of the sessions at paths; counts grow meanwhile."""

_Part = tuple[list[Row], ExportCounts]


def can_share() -> bool:
    """Return whether workers would help: a process with threads must not fork."""
    return (
        sys.platform == "linux"
        and threading.active_count() == 1
        and len(os.sched_getaffinity(0)) > 1
    )


def shared_rows(make: MakeRows, paths: Sequence[Path], counts: ExportCounts) -> Generator[Row]:
    """Yield the rows of the sessions at ``paths``, in their order; ``counts`` grows meanwhile.

    Raises:
        ChildProcessError: a worker was killed.
    """
    # The work reaches the workers by the fork, and need not be fit for pickling.
    pool = ProcessPoolExecutor(_MOST_PROCESSES, get_context("fork"), _RowWorker.begin, (make,))
    try:
        waiting: deque[Future[_Part] | Sequence[Path]] = deque()
        parts = _parts(paths)
        while True:
            for part, is_large in islice(parts, _PARTS_AHEAD - len(waiting)):
                waiting.append(part if is_large else pool.submit(_RowWorker.rows, part))
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


def _parts(paths: Sequence[Path]) -> Iterator[tuple[Sequence[Path], bool]]:
    """Yield the parts of the work, each with whether it is a large session."""
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
        return False  # the reader of records has the reason


class _RowWorker:
    """The work of a worker process, from its fork on."""

    make: MakeRows

    @classmethod
    def begin(cls, make: MakeRows) -> None:
        """Prepare this process."""
        cls.make = staticmethod(make)
        # Ctrl-C reaches all of these processes: the process that awaits results ends the others.
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    @classmethod
    def rows(cls, paths: Sequence[Path]) -> _Part:
        """Return the rows of sessions, and their counts."""
        counts = ExportCounts()
        return [dict(row) for row in cls.make(paths, counts)], counts
