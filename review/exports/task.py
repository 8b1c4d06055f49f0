"""An export: a selection, a format and options, with the same plan and file for all callers.

Rows of many sessions are made by worker processes, in the order of the sessions.
"""

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from itertools import accumulate, islice
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, cast

from records.errors import InvalidRecordError
from records.sessions.dataset import DatasetVersion
from records.sessions.session import Session, ToolCall
from records.shapes.base import compute_list_digest
from review.datasets import read_members
from review.exports.formats import (
    REPEATED,
    Exportable,
    ExportCounts,
    ExportFormat,
    TurnRows,
    choose_all_rows,
    encode_rows,
    format_rows,
    make_rows,
)
from review.exports.prepared import ExportOptions, Row
from review.index.session_index import SessionIndex, select_sessions
from review.selection import SessionSelection
from review.store import SessionStore
from review.turns import Turn

LARGE_BYTES = 200_000_000
"""Bytes of an export; for a larger export, smaller exports are proposed."""
SHORT_CONTEXT = 10
"""Messages of context in the smaller export that is proposed."""
_OF_A_MESSAGE = 45
"""Bytes of a message without its text: names of fields, quotes, the role."""
_OF_A_CALL = 100
"""Bytes of a call without its name and arguments."""
_OF_A_ROW = 420
"""Bytes of a row without its texts: names of fields, id, model, times."""


@dataclass(slots=True)
class ExportPlan:
    """The expected content of an export, if no session changes before it is written."""

    counts: ExportCounts = field(default_factory=ExportCounts)
    size: int = 0
    """Estimated bytes of the export."""
    size_of_last: int = 0
    """Estimated bytes of an export with only the judged turn of each session."""
    size_of_short: int = 0
    """Estimated bytes of an export with SHORT_CONTEXT messages of context."""
    repeated: Mapping[str, set[int]] = field(default_factory=dict[str, set[int]])
    """Numbers of turns that are rows of another session in the export, by session."""

    @property
    def is_large(self) -> bool:
        """True if the export is so large that smaller exports are proposed."""
        return self.size >= LARGE_BYTES

    def propose_smaller_exports(self) -> dict[str, str]:
        """Return the sizes of smaller exports in words, if this export is large.

        ``last`` has only judged turns, ``short`` has a context of SHORT_CONTEXT messages.
        """
        sizes = (("last", self.size_of_last), ("short", self.size_of_short))
        return {
            name: in_megabytes(size)
            for name, size in sizes
            if self.is_large and size < self.size / 2
        }


def plan_export(
    sessions: Iterable[Exportable],
    form: ExportFormat,
    options: ExportOptions,
    *,
    counts_lookalikes: bool = True,
) -> ExportPlan:
    """Return the plan of an export.

    Texts are not redacted, because redaction takes long and changes no number of rows. With
    ``counts_lookalikes``, texts with strings that look like secrets are redacted, to count the
    strings that remain.
    """
    plan = ExportPlan()
    counts = plan.counts
    forks = RepeatedTurns(first_wins=options.limit is not None)
    plain = replace(options, redact=False)
    for source, session, turns, is_row in choose_all_rows(sessions, form, plain, counts):
        rows = len(turns) or int(is_row)
        if rows and counts_lookalikes:
            counts.lookalikes.add(session, redact=options.redact)
        if turns:
            fewer = forks.add(source, turns)
            counts.skipped[REPEATED] += fewer
            rows -= fewer
        counts.rows += rows if options.limit is None else min(rows, options.limit - counts.rows)
        record = session.session
        per_message = (
            4 if isinstance(form.rows, TurnRows) and form.rows.context == "texts" else None
        )
        texts = [count_json_bytes(message.text) for message in record.messages]
        sizes = [
            text
            + (per_message or _OF_A_MESSAGE)
            + (0 if per_message else sum(map(_measure_call, message.tool_calls)))
            for text, message in zip(texts, record.messages, strict=True)
        ]
        until = [0, *accumulate(sizes)]
        labels = count_json_bytes(record.title) + sum(map(count_json_bytes, record.eval_tags))
        row = _OF_A_ROW + labels + count_json_bytes(record.title if per_message else "")
        if is_row:
            size = row + until[-1] + count_json_bytes(record.eval_notes)
            plan.size += size
            plan.size_of_last += size
            plan.size_of_short += size
        for turn in turns:
            alone = row + _measure_turn(turn, texts, answers=per_message is not None)
            size = alone + _measure_context(until, turn, session.options.context)
            plan.size += size
            plan.size_of_short += alone + _measure_context(until, turn, SHORT_CONTEXT)
            plan.size_of_last += size if turn.is_judged else 0
    counts.skipped = +counts.skipped
    plan.repeated = forks.numbers
    return plan


def in_megabytes(size: int) -> str:
    """Return a number of bytes as text, in megabytes."""
    return f"{size / 1e6:,.1f} MB" if size < 10_000_000 else f"{size / 1e6:,.0f} MB"  # noqa: PLR2004


def _measure_context(until: list[int], turn: Turn, most: int | None) -> int:
    start = turn.start
    return until[start] - (0 if most is None else until[max(0, start - most)])


def _measure_turn(turn: Turn, texts: Sequence[int], *, answers: bool) -> int:
    """Return the bytes of a turn; ``texts`` has the bytes of the text of each message."""
    index = turn.answer_place
    answer = texts[index] if turn.answer and index is not None else 0
    truth = answer if turn.truth == turn.answer else count_json_bytes(turn.truth or "")
    size = texts[turn.start] + truth + count_json_bytes(turn.notes) * (2 if answers else 1)
    if answers:
        size += answer + sum(map(_measure_call, turn.calls))
    return size


def _measure_call(call: ToolCall) -> int:
    return _OF_A_CALL + len(call.name) + count_json_bytes(call.arguments)


def count_json_bytes(text: str) -> int:
    """Return the bytes of a text in JSON."""
    return len(text.encode()) + sum(map(text.count, '"\\\n\t\r'))


class _Copy(NamedTuple):
    """One of several equal turns."""

    session_id: str
    number: int
    rank: int
    """2 with an expected output, 1 if the session's labels are about the turn, else 0."""


@dataclass(slots=True)
class RepeatedTurns:
    """The turns of an export that are left out, because another session has the same turn."""

    first_wins: bool = False
    """True if the first copy becomes the row; if false, the copy with the highest rank does."""
    numbers: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    """Numbers of the turns that are left out, by session."""
    _rows: dict[bytes, _Copy] = field(default_factory=dict[bytes, _Copy])

    def add(self, session: Session, turns: Sequence[Turn]) -> int:
        """Add the turns of a session; return the number of rows that are left out in consequence.

        A turn with an expected output always becomes a row, because the label must not be lost.
        """
        fewer = 0
        by_number = {turn.number: turn for turn in turns}
        for number, digest in _compute_digests(session):
            if (turn := by_number.get(number)) is None:
                continue
            rank = 2 if turn.expected else int(turn.is_judged)
            copy, row = _Copy(session.id, number, rank), self._rows.get(digest)
            if row is None:
                self._rows[digest] = copy
                continue
            better = rank > row.rank and not self.first_wins
            dropped = row if better else copy
            if better:
                self._rows[digest] = copy
            if dropped.rank < 2:  # noqa: PLR2004 - the rank of an expected output
                self.numbers.setdefault(dropped.session_id, set()).add(dropped.number)
                fewer += 1
        return fewer


def _compute_digests(session: Session) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each turn with a digest of the conversation up to its end."""
    if session.source.kind != "file":
        return
    so_far, number = sha256(), 0
    for message in session.messages:
        if message.at is None:
            return
        if message.role == "program":
            continue
        if message.role == "user":
            if number:
                yield number, so_far.digest()
            number += 1
        at = message.at.isoformat() if message.at else ""
        calls = [(call.id, call.name, call.arguments) for call in message.tool_calls]
        so_far.update(repr((message.role, at, message.text, message.tool_call_id, calls)).encode())
    if number:
        yield number, so_far.digest()


FEWEST = 500
"""Number of sessions; for fewer sessions, the start of processes takes longer than it saves."""
_MOST_PROCESSES = 2
_SESSIONS_AT_ONCE = 16
"""Number of sessions in a part of the work; their rows are in memory together."""
_LARGEST_SHARED = 64 * 1024
"""Bytes of a record. The rows of a larger session are made in this process, one at a time, because
there may be hundreds, each with all messages before it."""
_PARTS_AHEAD = 4
"""Number of parts that workers make in advance."""

MakeRows = Callable[[Sequence[Path], ExportCounts], Iterator[Row]]
"""A function that yields the rows of the sessions at paths, and adds to the counts."""

_Made = tuple[list[Row], ExportCounts]


@dataclass(frozen=True, slots=True)
class ExportTask:
    """An export: its sessions and its format."""

    store: SessionStore
    selection: SessionSelection
    form: ExportFormat
    options: ExportOptions
    version: DatasetVersion | None = None
    """The version whose members and labels are exported; None for the present sessions."""
    index: SessionIndex | None = None
    """The index that finds selected sessions; None to read all files."""

    def scan_sessions(self) -> Iterator[Exportable]:
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
        options = self.options
        if not options.dataset:  # its name is that of the version, or is made of the selection
            chosen = (
                getattr(self.selection, field.name)
                for field in fields(self.selection)
                if field.name not in {"without", "limit"}
            )
            name = None if self.version is None else self.version.name
            digest = compute_list_digest(*map(_format_value, chosen))
            options = replace(options, dataset=name or digest)
        # Workers can share the work if all sessions are exported.
        restrictions = (self.index, self.version, options.limit)
        is_part = bool(self.selection.ids) or any(each is not None for each in restrictions)
        shared = not is_part and can_share()
        paths = [*self.store.folder.list_session_files()] if shared else []
        if not paths or len(paths) < FEWEST:
            return make_rows(self.scan_sessions(), self.form, options, counts, plan.repeated)

        def make(part: Sequence[Path], part_counts: ExportCounts) -> Iterator[Row]:
            sessions = (
                session
                for session in self.store.scan(part)
                if isinstance(session, InvalidRecordError) or self.selection.selects(session)
            )
            return make_rows(sessions, self.form, options, part_counts, plan.repeated)

        return make_rows_in_workers(make, paths, counts)


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
    parts = [
        paths[start : start + _SESSIONS_AT_ONCE]
        for start in range(0, len(paths), _SESSIONS_AT_ONCE)
    ]
    following, ahead = iter(parts), deque[Future[list[_Made | None]]]()
    try:
        for part in parts:
            for later in islice(following, _PARTS_AHEAD - len(ahead)):
                ahead.append(pool.submit(_RowWorker.make_part, later))
            for path, made in zip(part, ahead.popleft().result(), strict=True):
                if made is None:
                    yield from make([path], counts)
                    continue
                counts.take_in(made[1])
                yield from made[0]
    except BrokenProcessPool as error:
        reason = "a worker of the export was killed: export again, with more free memory"
        raise ChildProcessError(reason) from error
    finally:
        pool.shutdown(cancel_futures=True)


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
    def make_part(cls, paths: Sequence[Path]) -> list[_Made | None]:
        """Return rows and counts of each session; None for a large one."""
        made: list[_Made | None] = []
        for path in paths:
            with suppress(OSError):  # the reader of the record reports the error
                if path.lstat().st_size > _LARGEST_SHARED:
                    made.append(None)
                    continue
            counts = ExportCounts()
            made.append(([dict(row) for row in cls.make([path], counts)], counts))
        return made
