"""Updates of the index: changed files are read again, in short transactions.

Changes by this program have notes (`review.store`), which are read before the next
answer. Other changes are found by a comparison of the stamps of all files. This is done before an
answer if it is quick, or if the answer waits for it. With `wait=False`, as at the desk, a slow
comparison is done in a thread.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, thread_time, time, time_ns
from typing import NamedTuple

from records.errors import RecordsError
from records.files.data_folder import LABELS, RECORD
from records.files.plain_files import format_stamp, read_stamp
from review.errors import IndexInTheMakingError
from review.index.sql_tables import VERSION, find_head, make_tables, take_in, take_out
from review.store import SessionStore, read_session
from review.turns import compute_transcript_digest

_COARSE_NS = 100_000_000
"""Nanoseconds in which a folder can change without a new modification time. Clocks of file systems
advance in steps."""


class SessionStamp(NamedTuple):
    """The stamps of a session's files in all folders."""

    record: str
    log: str
    """The stamps of the label logs; empty if there is none."""

    @property
    def size(self) -> int:
        """Bytes of all records of the session."""
        return sum(int(size) for size in self.record.split()[1::3])


def list_stamps(folders: Sequence[Path]) -> dict[str, SessionStamp]:
    """Return the stamp of each session that has a record, by the session's id."""
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
                    stamp = format_stamp(entry.stat(follow_symlinks=False))
                except FileNotFoundError:
                    continue
                stamps = logs if kind is LABELS else records
                session_id = name.removesuffix(kind)
                before = stamps.get(session_id)
                stamps[session_id] = stamp if before is None else f"{before} {stamp}"
    return {name: SessionStamp(stamp, logs.get(name, "")) for name, stamp in records.items()}


def find_stamp(folders: Sequence[Path], session_id: str) -> SessionStamp | None:
    """Return the stamp of one session, as in `list_stamps`; None if it has no record."""
    record, log = (
        " ".join(filter(None, (read_stamp(folder / f"{session_id}{kind}") for folder in folders)))
        for kind in (RECORD, LABELS)
    )
    return SessionStamp(record, log) if record else None


def compute_folders_stamp(folders: Sequence[Path]) -> int:
    """Return a number that changes when a file is added, removed or replaced.

    0 means unknown: a folder changed so recently that its next change may not show.
    """
    times: list[int] = []
    for folder in folders:
        try:
            changed = folder.stat().st_mtime_ns
        except FileNotFoundError:
            changed = 1
        if time_ns() - changed <= _COARSE_NS:
            return 0
        times.append(changed)
    return hash(tuple(times))


Report = Callable[[int, int], object]
"""A function that gets the number of sessions read so far, and the number of all to be read."""

_LOOK_AGAIN_S = 2
"""Seconds after which all stamps are compared even if the folders' modification times are the same.
A file that is written in place, and not replaced, does not change them."""
_QUICK_S = 0.1
"""Processor seconds of a quick comparison of all stamps. Every answer waits for it."""
_REST = 4
"""After a slow comparison, the pause before the next comparison, as a multiple of its duration."""
_LARGE = 4 * 1024 * 1024
"""Bytes of a record; with ``wait=False``, an answer does not read a larger record."""
_BATCH_S = 0.2
"""Longest seconds of a transaction, for which other processes and new labels must wait."""
_PAUSE_S = 0.2
"""Seconds for which an answer with ``wait=False`` waits for the thread."""
_FIRST_WAIT_S = 1
"""Seconds for which the first answer of a process waits for the thread."""
_PATIENCE_S = 120
"""Seconds for which a transaction waits for transactions of other processes."""


class _Facts(NamedTuple):
    """The state of the index, in its own table; all are 0 if the index was not made yet."""

    whole: int = 0
    """1 if all files were compared at least once."""
    looked: int = 0
    """When the files were last compared, in milliseconds since 1970."""
    cost: int = 0
    """Processor time of that comparison, in milliseconds."""
    folder: int = 0
    """The stamp of the folders at that time."""
    noted: int = 0
    """The offset up to which notes were read."""


class CatchingUp:
    """The updates of an index; safe for several threads and processes."""

    def __init__(
        self, store: SessionStore, path: Path, *, wait: bool = True, report: Report | None = None
    ) -> None:
        """Prepare the updates without reading any file.

        Args:
            store: the sessions.
            path: the file of the index.
            wait: whether an answer waits until all files are compared.
            report: a function that gets the progress of reading many sessions.
        """
        self._store = store
        self._folders = (store.folder.local.sessions.folder, store.folder.sessions.folder)
        self._path = path
        self._wait = wait
        self._report = report
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._fault: Exception | None = None
        self._progress = (0, 0)
        self._is_first = True

    @contextmanager
    def open_tables(self) -> Generator[sqlite3.Connection]:
        """Yield a connection to the index, which may not be up to date."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connected = sqlite3.connect(self._path, timeout=_PATIENCE_S, isolation_level=None)
        with closing(connected) as tables:
            tables.execute("PRAGMA journal_mode = WAL")
            tables.execute("PRAGMA synchronous = NORMAL")
            tables.execute("PRAGMA temp_store = MEMORY")
            tables.execute("PRAGMA cache_size = -65536")  # KiB: a new index is made in memory
            yield tables

    def catch_up(self, tables: sqlite3.Connection) -> None:
        """Bring the index up to date, as far as an answer waits for it.

        Raises:
            IndexInTheMakingError: the index is being made for the first time, and is not ready.
        """
        self._raise_fault()
        facts = _read_facts(tables)
        if self._wait or (facts.whole and facts.cost <= _QUICK_S * 1000):
            if self._is_due(facts):
                self._compare(tables, at_once=self._wait)
        else:
            # Start a comparison in the thread if it is due; the first answer waits for it a little.
            rest_s = max(_LOOK_AGAIN_S, _REST * facts.cost / 1000)
            rested = abs(time() - facts.looked / 1000) > rest_s
            if not facts.whole or self._is_first or (rested and self._is_due(facts)):
                self._start()
            thread = self._thread
            if thread is not None and (self._is_first or not facts.whole):
                thread.join(_FIRST_WAIT_S)
                self._raise_fault()
                if thread.is_alive() and not facts.whole:
                    raise IndexInTheMakingError(*self._progress)
        if self._wait or facts.whole:
            self._take_notes(tables, at_once=self._wait)
        self._is_first = False

    def is_ready(self, tables: sqlite3.Connection) -> bool:
        """Return whether the index can answer now, after a short wait if it is being made."""
        if self._wait or _read_facts(tables).whole:
            return True
        self._raise_fault()
        self._start().join(_PAUSE_S)  # an index of few sessions is made at once
        return bool(_read_facts(tables).whole)

    def _is_due(self, facts: _Facts) -> bool:
        age_s = abs(time() - facts.looked / 1000)
        folder = compute_folders_stamp(self._folders)
        return not facts.whole or age_s > _LOOK_AGAIN_S or folder == 0 or folder != facts.folder

    def _start(self) -> threading.Thread:
        """Return the thread that compares and reads; start it if it is not running."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="sessions", daemon=True)
                self._thread.start()
            return self._thread

    def _work(self) -> None:
        try:
            with self.open_tables() as tables:
                self._compare(tables)
                self._take_notes(tables)
        except Exception as error:  # noqa: BLE001 - the next answer raises it
            self._fault = error

    def _raise_fault(self) -> None:
        fault, self._fault = self._fault, None
        if fault is not None:
            raise fault

    def _compare(self, tables: sqlite3.Connection, *, at_once: bool = True) -> None:
        """Compare the stamps of all files, and read the changed files.

        Without ``at_once``, reading that takes longer than a batch is left to the thread.
        """
        folder, end = compute_folders_stamp(self._folders), self._store.changed.end()
        began = thread_time()
        now = int(time() * 1000)
        with _begin_transaction(tables):
            make_tables(tables)
        there = list_stamps(self._folders)
        indexed = {
            session_id: SessionStamp(record, log)
            for session_id, record, log in tables.execute("SELECT id, record, log FROM stamp")
        }
        differing = [name for name in indexed if name not in there]
        differing += sorted(name for name, stamp in there.items() if indexed.get(name) != stamp)
        cost = int((thread_time() - began) * 1000)
        if not self._read_again(tables, differing, at_once=at_once):
            self._start().join(_PAUSE_S)
            return
        with _begin_transaction(tables):
            noted = 0 if self._store.changed.forget(end) else max(end, _read_facts(tables).noted)
            facts = _Facts(1, now, cost, folder, noted)._asdict()
            tables.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", facts.items())

    def _take_notes(self, tables: sqlite3.Connection, *, at_once: bool = True) -> None:
        """Read the sessions with notes, the newest first; ``at_once`` is as in `_compare`."""
        ids, end = self._store.changed.read(_read_facts(tables).noted)
        if not ids:
            return
        if not self._read_again(tables, list(dict.fromkeys(ids[::-1])), at_once=at_once):
            self._start().join(_PAUSE_S)
            return
        with _begin_transaction(tables):
            tables.execute("INSERT OR REPLACE INTO fact VALUES ('noted', ?)", (end,))

    def _read_again(self, tables: sqlite3.Connection, ids: Sequence[str], *, at_once: bool) -> bool:
        """Read sessions again, in batches; return whether all were read.

        Without ``at_once``, only one batch is read, without large sessions. If the process is
        killed between batches, the remaining sessions are read the next time.
        """
        if not at_once:
            light = [name for name in ids if not self._is_large(tables, name)]
            with _begin_transaction(tables):
                return self._read_batch(tables, light) == len(ids)
        done = 0
        while done < len(ids):
            with _begin_transaction(tables):
                make_tables(tables)
                done += self._read_batch(tables, ids[done:])
            self._progress = (done, len(ids))
            if self._report is not None:
                self._report(done, len(ids))
        return True

    def _read_batch(self, tables: sqlite3.Connection, ids: Iterable[str]) -> int:
        """Read sessions for the time of a batch; return the number of sessions read."""
        until = monotonic() + _BATCH_S
        done = 0
        for session_id in ids:
            self._read(tables, session_id)
            done += 1
            if monotonic() > until:
                break
        return done

    def _is_large(self, tables: sqlite3.Connection, session_id: str) -> bool:
        """Return whether a session has a large record that is not in the index yet."""
        stamp = find_stamp(self._folders, session_id)
        if stamp is None or stamp.size <= _LARGE:
            return False
        row = tables.execute("SELECT record FROM stamp WHERE id = ?", (session_id,)).fetchone()
        return row is None or row[0] != stamp.record

    def _read(self, tables: sqlite3.Connection, session_id: str) -> None:
        """Read one session again, unless its files are the same."""
        try:
            stamp = find_stamp(self._folders, session_id)
        except ValueError:  # a damaged note, or a note of another version of this program
            return
        row = tables.execute(
            "SELECT record, log, problem FROM stamp WHERE id = ?", (session_id,)
        ).fetchone()
        before = None if row is None else SessionStamp(row[0], row[1])
        if before == stamp:
            return
        if stamp is None:
            take_out(tables, session_id)
            self._store.large.forget(session_id)
            tables.execute("DELETE FROM stamp WHERE id = ?", (session_id,))
            return
        problem: str | None = None
        try:
            # If the record is the same, only its labels are read.
            is_same = before is not None and before.record == stamp.record
            head = find_head(tables, session_id) if is_same else None
            if head is not None:
                take_in(tables, self._store.join_labels(*head), None)
            else:
                record = read_session(self._store.folder.get_session_file(session_id))
                labeled = self._store.join_labels(record, compute_transcript_digest(record))
                take_in(tables, labeled, record)
        except (RecordsError, ValueError) as error:
            take_out(tables, session_id)
            problem = str(error)
        values = (session_id, *stamp, problem)
        tables.execute("INSERT OR REPLACE INTO stamp VALUES (?, ?, ?, ?)", values)


@contextmanager
def _begin_transaction(tables: sqlite3.Connection) -> Generator[None]:
    """Run a block as a transaction, which is undone if the block fails."""
    tables.execute("BEGIN IMMEDIATE")
    with tables:
        yield


def _read_facts(tables: sqlite3.Connection) -> _Facts:
    (version,) = tables.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        return _Facts()
    return _Facts(**dict(tables.execute("SELECT name, value FROM fact")))
