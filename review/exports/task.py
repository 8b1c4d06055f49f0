"""An export: a selection, a format and options, with the same plan and file for all callers.

Rows of many sessions are made by worker processes, in the order of the sessions.
"""

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, fields, replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Final, cast

from records.archives.archive import compute_list_digest
from records.sessions.dataset import DatasetVersion
from review.datasets import VersionedSession, read_members
from review.exports.choice import TurnRows
from review.exports.export_plan import ExportPlan, plan_export
from review.exports.formats import ExportCounts, ExportFormat, encode_rows, format_rows, make_rows
from review.exports.rows import ExportOptions, Row
from review.labeled_session import LabeledSession
from review.selection import IndexOfIds, SessionSelection, select_sessions
from review.store import SessionProblem, SessionStore

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


@dataclass(frozen=True, slots=True)
class ExportTask:
    """An export: its sessions and its format."""

    store: SessionStore
    selection: SessionSelection
    form: ExportFormat
    options: ExportOptions
    version: DatasetVersion | None = None
    """The version whose members and labels are exported; None for the present sessions."""
    index: IndexOfIds | None = None
    """The index that finds selected sessions; None to read all files."""

    def scan_sessions(self) -> Iterator[LabeledSession | VersionedSession | SessionProblem]:
        """Yield the sessions, and a problem for each that cannot be exported."""
        if self.version is not None:
            return read_members(self.store, self.version, self.selection)
        return select_sessions(self.store, self.selection, self.index)

    def make_export_plan(self) -> ExportPlan:
        """Return the plan of the export."""
        return plan_export(self.scan_sessions(), self.form, self.options)

    def make_quick_plan(self) -> ExportPlan:
        """Return a plan that is quick to make, without strings that look like secrets.

        If rows are whole sessions, it has only a size, that of the files. If rows are turns, each
        row repeats the messages before it, so sessions are read and counted.
        """
        if isinstance(self.form.rows, TurnRows):
            return plan_export(
                self.scan_sessions(), self.form, self.options, counts_lookalikes=False
            )
        folder = self.store.folder
        ids = self.selection.ids
        paths = map(folder.get_session_file, ids) if ids else folder.list_session_files()
        return ExportPlan(size=sum(path.stat().st_size for path in paths if path.exists()))

    def format_file(self, plan: ExportPlan, counts: ExportCounts) -> Iterator[str]:
        """Yield the text of the file; ``counts`` grows meanwhile."""
        return format_rows(self._make_export_rows(plan, counts), self.form)

    def encode_file(self, plan: ExportPlan, counts: ExportCounts) -> Iterator[bytes]:
        """Yield the bytes of the file; ``counts`` grows meanwhile.

        Raises:
            MissingPackageError: the format needs a package that is not installed.
        """
        return encode_rows(self._make_export_rows(plan, counts), self.form)

    def _make_export_rows(self, plan: ExportPlan, counts: ExportCounts) -> Iterator[Row]:
        paths = self._list_shareable_paths()
        if not paths:
            return make_rows(self.scan_sessions(), self.form, self._named, counts, plan.repeated)
        options = self._named

        def make(part: Sequence[Path], part_counts: ExportCounts) -> Iterator[Row]:
            sessions = (
                session
                for session in self.store.scan(part)
                if isinstance(session, SessionProblem) or self.selection.selects(session)
            )
            return make_rows(sessions, self.form, options, part_counts, plan.repeated)

        return make_rows_in_workers(make, paths, counts)

    def _list_shareable_paths(self) -> Sequence[Path]:
        """Return the paths of all sessions if worker processes can share the work; else none."""
        chosen = (self.index, self.version, self.options.limit)
        is_part = bool(self.selection.ids) or any(restriction is not None for restriction in chosen)
        if is_part or not can_share():
            return ()
        paths = [*self.store.folder.list_session_files()]
        return paths if len(paths) >= FEWEST else ()

    @property
    def _named(self) -> ExportOptions:
        """The options; if they name no dataset, its name is made from the version or selection."""
        if self.options.dataset:
            return self.options
        if self.version is not None:
            return replace(self.options, dataset=self.version.name)
        chosen = [
            getattr(self.selection, field.name)
            for field in fields(self.selection)
            if field.name not in {"without", "limit"}
        ]
        return replace(self.options, dataset=compute_list_digest(*map(_format_value, chosen)))


def _format_value(value: object) -> str:
    if isinstance(value, frozenset):
        return repr(sorted(map(str, cast("frozenset[object]", value))))
    return repr(value)


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
