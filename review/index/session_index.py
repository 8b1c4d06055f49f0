"""The index of a data folder's sessions: an SQLite file for lists and filters.

The index has the stamp (modification time, size, inode) of each file that it read, and reads a file
again if its stamp differs (`review.index.catching_up`). It may be deleted at any time, and the next
question makes it again. Several processes can use it at the same time.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from records.errors import InvalidRecordError
from records.sessions.session import EvalStatus
from review.index.catching_up import CatchingUp, Report
from review.index.indexed_session import COLUMNS, IndexedSession
from review.index.sql_tables import make_condition
from review.labeled_session import LabeledSession
from review.selection import ListOrder, SessionSelection
from review.store import SessionStore

Answer = TypeVar("Answer")

_IN_ORDER: Mapping[ListOrder, str] = {
    "newest": "created IS NULL, created DESC, id",
    "oldest": "created IS NULL, created, id",
    "title": "title COLLATE NOCASE, id",
    "judged": "reviewed IS NULL, reviewed DESC, id",
}
_TO_JUDGE = "(reviewed IS NULL OR stale OR disputed)"
_OF_STATUSES = "SELECT number FROM chosen WHERE status IN (SELECT value FROM json_each(?))"
_PROBLEMS = "SELECT problem FROM stamp WHERE problem IS NOT NULL ORDER BY id"
_FLIPPING = (
    "SELECT eval FROM session WHERE verdict IN ('correct', 'incorrect') "
    "GROUP BY eval, model HAVING count(DISTINCT verdict) > 1"
)


class Facets(NamedTuple):
    """Values that sessions can be filtered by, sorted."""

    models: Sequence[str]
    sources: Sequence[str]
    tags: Sequence[str]
    judges: Sequence[str]
    """Pseudonyms of reviewers who judged, without judgements taken back."""


class SessionList(NamedTuple):
    """A page of a list, with the counts beside it."""

    rows: Sequence[IndexedSession]
    total: int
    """Number of selected sessions on all pages."""
    counts: Mapping[EvalStatus, int]
    """Number of sessions with each status, as if no status were selected."""
    facets: Facets
    problems: Sequence[str]
    """A message for each session that cannot be read, and so is not in the index."""


class SessionIndex:
    """The index of a store; safe for several threads and processes."""

    def __init__(
        self, store: SessionStore, *, wait: bool = True, report: Report | None = None
    ) -> None:
        """Open the index without reading any file.

        Args:
            store: the sessions.
            wait: whether an answer waits until all files were compared. If not, a question raises
                IndexInTheMakingError while a new index is made.
            report: a function that gets the progress of reading many sessions.
        """
        self._path = store.folder.cache / "sessions.sqlite3"
        self._files = CatchingUp(store, self._path, wait=wait, report=report)

    def list_page(self, selection: SessionSelection, start: int, count: int) -> SessionList:
        """Return ``count`` of the selected sessions from ``start`` on, in the selection's order.

        One question returns all parts of a page, because each question compares stamps first, and a
        search for one or two letters goes through all texts.

        Args:
            selection: the conditions; the limit has no effect.
            start: the number of sessions on earlier pages.
            count: the most rows.
        """

        def ask(tables: sqlite3.Connection) -> SessionList:
            # The counts of all statuses, as if none were selected; the rows have those selected.
            condition, parameters = make_condition(replace(selection, statuses=frozenset()))
            tables.execute("CREATE TEMP TABLE chosen (number INTEGER PRIMARY KEY, status)")
            tables.execute(
                f"INSERT INTO chosen SELECT number, status FROM session WHERE {condition}",  # noqa: S608
                parameters,
            )
            found = dict(tables.execute("SELECT status, count(*) FROM chosen GROUP BY status"))
            counts = {status: int(found.get(status.value, 0)) for status in EvalStatus}
            rows = tables.execute(
                f"SELECT {', '.join(COLUMNS)} FROM session WHERE number IN ({_OF_STATUSES}) "  # noqa: S608
                f"ORDER BY {_IN_ORDER[selection.order]} LIMIT ? OFFSET ?",
                [json.dumps(sorted(selection.statuses or EvalStatus)), count, start],
            )
            return SessionList(
                rows=[IndexedSession.from_values(row) for row in rows],
                total=sum(counts[status] for status in selection.statuses or EvalStatus),
                counts=counts,
                facets=_read_facets(tables),
                problems=_read_column(tables, _PROBLEMS),
            )

        return self._query_tables(ask)

    def list_ids(self, selection: SessionSelection) -> Sequence[str]:
        """Return the ids of the selected sessions, sorted."""
        limit = -1 if selection.limit is None else selection.limit
        return self._query_ids(selection, "id LIMIT ?", limit)

    def list_rows(
        self, selection: SessionSelection
    ) -> tuple[Sequence[IndexedSession], Sequence[str]]:
        """Return the selected sessions, sorted by id, and a message for each unreadable session."""
        condition, parameters = make_condition(selection)
        statement = (
            f"SELECT {', '.join(COLUMNS)} FROM session WHERE {condition} ORDER BY id LIMIT ?"  # noqa: S608
        )
        limit = -1 if selection.limit is None else selection.limit

        def ask(tables: sqlite3.Connection) -> tuple[Sequence[IndexedSession], Sequence[str]]:
            rows = map(IndexedSession.from_values, tables.execute(statement, [*parameters, limit]))
            return list(rows), _read_column(tables, _PROBLEMS)

        return self._query_tables(ask)

    def list_ids_in_order(self, selection: SessionSelection) -> Sequence[str]:
        """Return the ids of the selected sessions in the order of lists."""
        return self._query_ids(selection, _IN_ORDER[selection.order])

    def list_unreadable(self) -> Sequence[str]:
        """Return the ids of the sessions that cannot be read, sorted."""
        statement = "SELECT id FROM stamp WHERE problem IS NOT NULL ORDER BY id"
        return self._query_tables(lambda tables: _read_column(tables, statement))

    def count_progress(self, selection: SessionSelection, also: Collection[str]) -> tuple[int, int]:
        """Return the number of selected sessions, and the number of them that are to be judged.

        Args:
            selection: the conditions; the limit has no effect.
            also: ids of sessions that are to be judged, too.
        """
        condition, parameters = make_condition(selection)
        statement = (
            f"SELECT count(*), coalesce(sum({_TO_JUDGE} OR id IN "  # noqa: S608 - of constants
            f"(SELECT value FROM json_each(?))), 0) FROM session WHERE {condition}"
        )
        listed = json.dumps(list(also))
        return self._query_tables(
            lambda tables: tables.execute(statement, [listed, *parameters]).fetchone()
        )

    def list_facets(self) -> Facets:
        """Return the values by which sessions can be filtered."""
        return self._query_tables(_read_facets)

    def to_judge(self) -> Sequence[str]:
        """Return the ids of sessions that nobody judged, that changed since, or in dispute.

        Sessions in dispute come first, then those of evals that one model both passed and failed,
        then the oldest. Sessions without a date are last.
        """
        statement = (
            f"SELECT id FROM session WHERE {_TO_JUDGE} ORDER BY disputed DESC, "  # noqa: S608
            f"NOT disputed AND coalesce(eval IN ({_FLIPPING}), 0) DESC, {_IN_ORDER['oldest']}"
        )
        return self._query_tables(lambda tables: _read_column(tables, statement))

    def is_ready(self) -> bool:
        """Return whether the index can answer; if not, start to make it."""
        with self._files.open_tables() as tables:
            return self._files.is_ready(tables)

    def find_alias(self, alias: str) -> str | None:
        """Return the id of the session with this alias (`make_alias`); None if there is none."""
        statement = "SELECT id FROM head JOIN session USING (number) WHERE alias = ?"
        ids = self._query_tables(lambda tables: _read_column(tables, statement, alias))
        return ids[0] if ids else None

    def _query_ids(self, selection: SessionSelection, order: str, *more: object) -> Sequence[str]:
        condition, parameters = make_condition(selection)
        statement = f"SELECT id FROM session WHERE {condition} ORDER BY {order}"  # noqa: S608
        return self._query_tables(
            lambda tables: _read_column(tables, statement, *parameters, *more)
        )

    def _query_tables(self, question: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Bring the index up to date, then ask it; a damaged file is deleted and made again."""
        try:
            return self._query_present_tables(question)
        except sqlite3.DatabaseError as error:
            # Errors of Python's own module have no code.
            code = getattr(error, "sqlite_errorcode", None)
            if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self._path}{suffix}").unlink(missing_ok=True)
        return self._query_present_tables(question)

    def _query_present_tables(self, question: Callable[[sqlite3.Connection], Answer]) -> Answer:
        with self._files.open_tables() as tables:
            self._files.catch_up(tables)
            return question(tables)


def _read_column(tables: sqlite3.Connection, statement: str, *parameters: object) -> list[Any]:
    return [row[0] for row in tables.execute(statement, parameters)]


def _read_facets(tables: sqlite3.Connection) -> Facets:
    return Facets(
        models=_read_column(
            tables, "SELECT DISTINCT model FROM session WHERE model IS NOT NULL ORDER BY 1"
        ),
        sources=_read_column(tables, "SELECT DISTINCT source FROM session ORDER BY 1"),
        tags=_read_column(tables, "SELECT DISTINCT tag FROM tag ORDER BY 1"),
        judges=_read_column(tables, "SELECT DISTINCT name FROM judge ORDER BY 1"),
    )


def select_sessions(
    store: SessionStore, selection: SessionSelection, index: SessionIndex | None = None
) -> Iterator[LabeledSession | InvalidRecordError]:
    """Yield the selected sessions, sorted by id, and a problem for each unreadable session.

    Whether an unreadable session is selected is not known, unless ``selection`` names ids. The
    limit of the selection has no effect.

    Args:
        store: the sessions.
        selection: the conditions.
        index: finds the selected sessions, so that only their files are read. If it is None and
            the selection names no ids, all files are read.
    """
    ids: Iterable[str] = selection.ids
    if not ids and index is not None:
        ids = (*index.list_ids(replace(selection, limit=None)), *index.list_unreadable())
    paths = [store.folder.get_session_file(session_id) for session_id in sorted({*ids})]
    for session in store.scan(paths if selection.ids or index is not None else None):
        if isinstance(session, InvalidRecordError) or selection.selects(session):
            yield session
