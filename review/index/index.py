"""The index of a data folder's sessions: an SQLite file that answers lists and filters.

The files are the truth. The index keeps the stamp (modification time, size, inode) at which it read
each of them, and before it answers, reads again what has another stamp now. It may be deleted at
any time: the next question makes it anew. Several processes may use one.
"""

import hashlib
import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import time, time_ns
from typing import Any, Final, NamedTuple, TypeVar

from records.errors import RecordsError
from records.folder import LABELS, RECORD
from records.session import EvalStatus
from review.index.rows import COLUMNS, IndexedSession, indexed
from review.index.tables import SCHEMA, unbroken, where
from review.selection import ListOrder, SessionSelection
from review.store import LabeledSession, SessionStore

Answer = TypeVar("Answer")

_VERSION: Final = 3
"""Of the tables; an index of another version is made anew."""
_LOOK_AGAIN_S: Final = 5
"""After how many seconds all stamps are compared although the folder has the modification time that
it had: a file that is written in place, and not replaced, leaves that as it is."""
_COARSE_NS: Final = 100_000_000
"""How long a folder may change without another modification time: clocks of file systems tick."""
_PATIENCE_S: Final = 120
"""How long one process waits for another that makes the index."""
_IN_ORDER: Final[Mapping[ListOrder, str]] = {
    "newest": "created IS NULL, created DESC, id",
    "oldest": "created IS NULL, created, id",
    "title": "title COLLATE NOCASE, id",
    "judged": "reviewed IS NULL, reviewed DESC, id",
}
_TO_JUDGE: Final = "(reviewed IS NULL OR stale OR disputed)"
_TO_JUDGE_WITH: Final = (
    f"SELECT count(*) FROM session WHERE {_TO_JUDGE} "  # noqa: S608 - of constants
    "OR id IN (SELECT value FROM json_each(?))"
)
_OF_STATUSES: Final = "SELECT number FROM chosen WHERE status IN (SELECT value FROM json_each(?))"
_PROBLEMS: Final = "SELECT problem FROM stamp WHERE problem IS NOT NULL ORDER BY id"
_FLIPPING: Final = (
    "SELECT eval FROM session WHERE verdict IN ('correct', 'incorrect') "
    "GROUP BY eval, model HAVING count(DISTINCT verdict) > 1"
)


@dataclass(frozen=True, slots=True)
class Facets:
    """Values that sessions can be filtered by, sorted."""

    models: Sequence[str]
    sources: Sequence[str]
    tags: Sequence[str]
    judges: Sequence[str]
    """Pseudonyms of reviewers whose judgements stand."""


@dataclass(frozen=True, slots=True)
class SessionList:
    """A page of a list, with what else the page says."""

    rows: Sequence[IndexedSession]
    total: int
    """Sessions that are selected, on all pages."""
    counts: Mapping[EvalStatus, int]
    """How many have each status, zeros too, whatever statuses are selected."""
    facets: Facets
    problems: Sequence[str]
    """Why sessions are not in the index: a message for each that cannot be read."""
    to_judge: int
    """Sessions that `SessionIndex.to_judge` gives, and further ones that were named."""


class WaitingSession(NamedTuple):
    """A session that is to be judged."""

    id: str
    disputed: bool
    """Whether reviewers judged it differently, and nobody decided."""
    flips: bool
    """Whether it is of an eval that one model both passed and failed."""


class SessionIndex:
    """The index over a store; safe to use from several threads and processes."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._folders = store.folder.session_folders
        self._path = store.folder.cache / "sessions.sqlite3"

    def listing(
        self, selection: SessionSelection, start: int, count: int, also: Collection[str] = ()
    ) -> SessionList:
        """Return ``count`` of the selected sessions from ``start`` on, in the selection's order.

        The selection's limit does not apply. All is asked at once: each question compares stamps
        first, and a text of one or two letters is looked for in all texts.

        Args:
            selection: which sessions.
            start: how many of them are left out.
            count: how many rows there are at most.
            also: ids of sessions that count as to be judged.
        """

        def ask(tables: sqlite3.Connection) -> SessionList:
            counts = _counted(tables, selection)
            rows = tables.execute(
                f"SELECT {', '.join(COLUMNS)} FROM session WHERE number IN ({_OF_STATUSES}) "  # noqa: S608
                f"ORDER BY {_IN_ORDER[selection.order]} LIMIT ? OFFSET ?",
                [json.dumps(sorted(selection.statuses or EvalStatus)), count, start],
            )
            return SessionList(
                rows=[IndexedSession.of_values(row) for row in rows],
                total=sum(counts[one] for one in selection.statuses or EvalStatus),
                counts=counts,
                facets=_facets(tables),
                problems=_column(tables, _PROBLEMS),
                to_judge=_column(tables, _TO_JUDGE_WITH, json.dumps(list(also)))[0],
            )

        return self._asked(ask)

    def ids(self, selection: SessionSelection) -> Sequence[str]:
        """Return the ids of the selected sessions, sorted, as the store yields them."""
        limit = -1 if selection.limit is None else selection.limit
        return self._ids(selection, "id LIMIT ?", limit)

    def listed(self, selection: SessionSelection) -> Sequence[str]:
        """Return the ids of the selected sessions in the order of `page`."""
        return self._ids(selection, _IN_ORDER[selection.order])

    def counts(self, selection: SessionSelection) -> Mapping[EvalStatus, int]:
        """Return how many sessions have each status, zeros too.

        The selection's own statuses and its limit do not apply.
        """
        return self._asked(lambda tables: _counted(tables, selection))

    def progress(self, selection: SessionSelection, also: Collection[str]) -> tuple[int, int]:
        """Return how many sessions are selected, and how many of them are to be judged.

        Args:
            selection: which sessions; its limit does not apply.
            also: ids of sessions that count as to be judged.
        """
        condition, given = where(selection)
        asked = (
            f"SELECT count(*), coalesce(sum({_TO_JUDGE} OR id IN "  # noqa: S608 - of constants
            f"(SELECT value FROM json_each(?))), 0) FROM session WHERE {condition}"
        )
        listed = json.dumps(list(also))
        return self._asked(lambda tables: tables.execute(asked, [listed, *given]).fetchone())

    def facets(self) -> Facets:
        """Return what sessions can be filtered by."""
        return self._asked(_facets)

    def to_judge(self) -> Sequence[WaitingSession]:
        """Return the sessions that nobody judged, that changed since, or that are in dispute.

        The oldest first; those without a date last.
        """
        asked = (
            f"SELECT id, disputed, eval IN ({_FLIPPING}) FROM session "  # noqa: S608 - of constants
            f"WHERE {_TO_JUDGE} ORDER BY created IS NULL, created, id"
        )
        return self._asked(
            lambda tables: [
                WaitingSession(one, bool(disputed), bool(flips))
                for one, disputed, flips in tables.execute(asked)
            ]
        )

    def _ids(self, selection: SessionSelection, order: str, *more: object) -> Sequence[str]:
        condition, given = where(selection)
        asked = f"SELECT id FROM session WHERE {condition} ORDER BY {order}"  # noqa: S608
        return self._asked(lambda tables: _column(tables, asked, *given, *more))

    def _asked(self, question: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Ask the index when it is up to date; a damaged one is deleted and made anew."""
        try:
            with self._opened() as tables:
                return question(tables)
        except sqlite3.DatabaseError as error:
            # Errors that Python raises itself have no code.
            code = getattr(error, "sqlite_errorcode", None)
            if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self._path}{suffix}").unlink(missing_ok=True)
        with self._opened() as tables:
            return question(tables)

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        opened = sqlite3.connect(self._path, timeout=_PATIENCE_S, isolation_level=None)
        with closing(opened) as tables:
            tables.execute("PRAGMA journal_mode = WAL")
            tables.execute("PRAGMA synchronous = NORMAL")
            tables.execute("PRAGMA temp_store = MEMORY")
            tables.execute("PRAGMA cache_size = -65536")  # KiB: a new index is made in memory
            self._catch_up(tables)
            yield tables

    def _catch_up(self, tables: sqlite3.Connection) -> None:
        """Read what changed, in one transaction: killed in the middle, nothing was done."""
        folder = self._folder_stamp()
        if _is_current(tables, folder):
            return
        tables.execute("BEGIN IMMEDIATE")
        try:
            _make(tables)
            known = dict(tables.execute("SELECT id, value FROM stamp"))
            there = _stamps(self._folders)
            for session_id in known.keys() - there.keys():
                _forget(tables, session_id)
            for session_id, stamp in sorted(there.items()):
                if known.get(session_id) != stamp:
                    _forget(tables, session_id)
                    self._take_in(tables, session_id, stamp)
            for name, value in (("folder", folder), ("looked", int(time()))):
                tables.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, value))
        except BaseException:
            tables.execute("ROLLBACK")
            raise
        tables.execute("COMMIT")

    def _folder_stamp(self) -> int:
        """Return the folders' modification times; 0 while one may change without changing that."""
        stamps = [_changed(folder) for folder in self._folders]
        return 0 if 0 in stamps else hash(tuple(stamps))

    def _take_in(self, tables: sqlite3.Connection, session_id: str, stamp: str) -> None:
        problem: str | None = None
        try:
            _insert(tables, self._store.read(session_id))
        except (RecordsError, ValueError) as error:
            problem = str(error)
        tables.execute("INSERT INTO stamp VALUES (?, ?, ?)", (session_id, stamp, problem))


def _column(tables: sqlite3.Connection, asked: str, *given: object) -> list[Any]:
    return [row[0] for row in tables.execute(asked, given)]


def _counted(tables: sqlite3.Connection, selection: SessionSelection) -> Mapping[EvalStatus, int]:
    """Count the selected sessions by status, and leave them in the table `chosen`.

    Sessions of every status are chosen: which statuses are selected is for the caller to apply.
    """
    condition, given = where(replace(selection, statuses=frozenset()))
    tables.execute("CREATE TEMP TABLE chosen (number INTEGER PRIMARY KEY, status)")
    tables.execute(
        f"INSERT INTO chosen SELECT number, status FROM session WHERE {condition}",  # noqa: S608
        given,
    )
    counted = tables.execute("SELECT status, count(*) FROM chosen GROUP BY status")
    found: Counter[str] = Counter(dict(counted))
    return {status: found[status.value] for status in EvalStatus}


def _facets(tables: sqlite3.Connection) -> Facets:
    return Facets(
        models=_column(
            tables, "SELECT DISTINCT model FROM session WHERE model IS NOT NULL ORDER BY 1"
        ),
        sources=_column(tables, "SELECT DISTINCT source FROM session ORDER BY 1"),
        tags=_column(tables, "SELECT DISTINCT tag FROM tag ORDER BY 1"),
        judges=_column(tables, "SELECT DISTINCT name FROM judge ORDER BY 1"),
    )


def _is_current(tables: sqlite3.Connection, folder: int) -> bool:
    (version,) = tables.execute("PRAGMA user_version").fetchone()
    if version != _VERSION:
        return False
    facts = dict(tables.execute("SELECT name, value FROM fact"))
    recent = abs(time() - facts.get("looked", 0)) < _LOOK_AGAIN_S
    return recent and folder != 0 and facts.get("folder") == folder


def _make(tables: sqlite3.Connection) -> None:
    (version,) = tables.execute("PRAGMA user_version").fetchone()
    if version == _VERSION:
        return
    if version:
        raise sqlite3.DatabaseError("of another version")
    for statement in SCHEMA.split(";\n"):
        tables.execute(statement)
    tables.execute(f"PRAGMA user_version = {_VERSION}")


def _changed(folder: Path) -> int:
    """Return a folder's modification time; 0 while it may change without changing that."""
    try:
        changed = folder.stat().st_mtime_ns
    except FileNotFoundError:
        return 1
    return changed if time_ns() - changed > _COARSE_NS else 0


def _stamps(folders: Sequence[Path]) -> dict[str, str]:
    """Return a stamp for each session, over its records and logs in all folders."""
    records: dict[str, str] = {}
    logs: dict[str, str] = {}
    for folder in folders:
        try:
            entries = os.scandir(folder)
        except FileNotFoundError:
            continue
        with entries:
            for entry in entries:
                name = entry.name
                kind = LABELS if name.endswith(LABELS) else RECORD
                if name.startswith(".") or not name.endswith(kind):
                    continue
                try:
                    told = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                stamp = f"{told.st_mtime_ns} {told.st_size} {told.st_ino}"
                stamps, session_id = (
                    logs if kind is LABELS else records,
                    name.removesuffix(kind),
                )
                stamps[session_id] = f"{stamps.get(session_id, '')}{stamp} "
    return {one: f"{stamp}{logs.get(one, '')}" for one, stamp in records.items()}


def _insert(tables: sqlite3.Connection, one: LabeledSession) -> None:
    row = indexed(one)
    places = ", ".join("?" * len(COLUMNS))
    number = tables.execute(
        f"INSERT INTO session ({', '.join(COLUMNS)}) VALUES ({places})",  # noqa: S608 - of constants
        row.values(),
    ).lastrowid
    tags = [(number, tag) for tag in set(row.tags)]
    tables.executemany("INSERT INTO tag VALUES (?, ?)", tags)
    judges = [(number, name) for name in row.judges]
    tables.executemany("INSERT INTO judge VALUES (?, ?)", judges)
    texts = {one.session.title, *(message.text for message in one.session.messages)}
    said = {(_text(tables, text.casefold()), number) for text in texts if text}
    tables.executemany("INSERT INTO said VALUES (?, ?)", said)


def _text(tables: sqlite3.Connection, text: str) -> int:
    """Return the number of a text, which is kept if it was not."""
    letters = text.encode("utf-8", "replace")
    digest = hashlib.blake2b(letters, digest_size=16).digest()
    known = tables.execute("SELECT number FROM text WHERE digest = ?", (digest,)).fetchone()
    if known is not None:
        return int(known[0])
    added = tables.execute("INSERT INTO text (digest, letters) VALUES (?, ?)", (digest, letters))
    number = added.lastrowid
    tables.execute("INSERT INTO triple (rowid, letters) VALUES (?, ?)", (number, unbroken(text)))
    return int(number or 0)


def _forget(tables: sqlite3.Connection, session_id: str) -> None:
    """Take a session out, and the texts that no other one holds."""
    tables.execute("DELETE FROM stamp WHERE id = ?", (session_id,))
    found = tables.execute("SELECT number FROM session WHERE id = ?", (session_id,)).fetchone()
    if found is None:
        return
    texts = tables.execute("SELECT text FROM said WHERE session = ?", found).fetchall()
    for table in (
        "tag WHERE number",
        "judge WHERE number",
        "said WHERE session",
        "session WHERE number",
    ):
        tables.execute(f"DELETE FROM {table} = ?", found)  # noqa: S608 - of constants
    for (text,) in texts:
        if tables.execute("SELECT 1 FROM said WHERE text = ?", (text,)).fetchone() is None:
            (letters,) = tables.execute(
                "SELECT letters FROM text WHERE number = ?", (text,)
            ).fetchone()
            tables.execute(
                "INSERT INTO triple (triple, rowid, letters) VALUES ('delete', ?, ?)",
                (text, unbroken(letters.decode())),
            )
            tables.execute("DELETE FROM text WHERE number = ?", (text,))
