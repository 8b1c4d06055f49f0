"""Sessions and their label logs on disk: `<id>.json` and `<id>.labels.jsonl`.

Raw sessions are in `data/local/sessions`, published sessions in `data/sessions`. `DataFolder`
decides which of them is read, and has the path of the log.

The record has a conversation and the labels that came with it. Each later label is an event of the
log, and counts when its line is on the disk. Writers of a session read and write its record and its
log under its lock, so that no change is lost. An incomplete line of a killed writer is cut off by
the next writer.

Transcripts of large sessions are needed seldom. For each large record, a small file in the cache
has the session without its messages, and the digest of its transcript. So a label needs no
transcript. The file counts while the stamp of the record is the same. The cache may be deleted at
any time. The store keeps the last large session in memory, because several pages of it are often
read in turn.
"""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from pathlib import Path

from pydantic import ValidationError

from records.errors import InvalidRecordError, MissingRecordError, RecordsError
from records.files.data_folder import RECORD, DataFolder
from records.files.plain_files import Log, lock_file, make_durable, open_plain, read_stamp
from records.reader import read_bytes, read_record
from records.sessions.events import encode_events, order_events, read_log
from records.sessions.labels import LabelEvent, apply_labels
from records.sessions.session import Session, encode_session
from records.shapes.base import Digest, Record, compute_text_digest
from records.writer import encode_record, write_atomically
from review.errors import ChangedMeanwhileError
from review.labeled_session import LabeledSession
from review.redaction import redact_events
from review.turns import compute_transcript_digest

LARGE = 2 * 1024 * 1024
"""Bytes of the record of a large session; a smaller record is not cached."""


class StampedSession(Record):
    """The record of a session, perhaps without messages; a large session has one in the cache."""

    stamp: str
    """The path and the stamp of a large record; empty for a small record."""
    transcript: Digest
    record: Session


class LargeSessions:
    """Reader of the large sessions of a data folder; safe for several threads and processes."""

    def __init__(self, folder: DataFolder) -> None:
        self._heads = folder.cache / "heads"
        self._last: StampedSession | None = None

    def read(self, path: Path, *, whole: bool) -> StampedSession:
        """Return the session at ``path``; without ``whole``, a large session may have no messages.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: the file is not a session.
        """
        stamp, last = _find_large_stamp(path), self._last
        if whole and last is not None and last.stamp == stamp:
            return last
        head: StampedSession | None = None
        if stamp:
            with suppress(RecordsError, ValidationError):
                kept = StampedSession.model_validate_json(read_bytes(self._heads / path.name))
                head = kept if kept.stamp == stamp else None
        if head is not None and not whole:
            return head
        session = read_record(Session, path)
        if head is None:
            stamped = self._keep(stamp, session)
        else:
            stamped = StampedSession(stamp=stamp, transcript=head.transcript, record=session)
        if stamp:
            self._last = stamped
        return stamped

    def keep(self, path: Path, record: Session) -> None:
        """Write the cache file of a session that was just written to ``path``, if it is large."""
        if stamp := _find_large_stamp(path):
            self._keep(stamp, record)

    def forget(self, session_id: str) -> None:
        """Delete the cache file of a session that was deleted."""
        with suppress(OSError):
            (self._heads / f"{session_id}.json").unlink(missing_ok=True)

    def _keep(self, stamp: str, record: Session) -> StampedSession:
        """Return a session that was read whole, after the cache file is written if it is large.

        If that fails, the record is read again the next time.
        """
        transcript = compute_transcript_digest(record)
        if stamp:
            without_messages = record.model_copy(update={"messages": ()})
            head = StampedSession(stamp=stamp, transcript=transcript, record=without_messages)
            with suppress(OSError):
                path = self._heads / f"{record.id}.json"
                write_atomically(path, encode_record(head), durable=False)
        return StampedSession(stamp=stamp, transcript=transcript, record=record)


def _find_large_stamp(path: Path) -> str:
    """Return the path and the stamp of a large record; empty if it is small or missing."""
    stamp = read_stamp(path)
    is_large = stamp is not None and int(stamp.split()[1]) >= LARGE
    return f"{path.resolve()} {stamp}" if is_large else ""


_LARGEST = 1024 * 1024
"""Bytes of the file; a larger file is deleted when it was read to its end."""


class ChangedSessions:
    """The file of notes of a data folder."""

    def __init__(self, folder: DataFolder) -> None:
        self._path = folder.cache / "changed-sessions"

    def note(self, session_id: str) -> None:
        """Add the id of a changed session. If this fails, the stamp of its file shows it."""
        with suppress(OSError, RecordsError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with Log(self._path, make=True) as log:
                log.append(f"{session_id}\n".encode(), durable=False)

    def end(self) -> int:
        """Return the offset after all notes, in bytes."""
        try:
            return self._path.stat().st_size
        except OSError:
            return 0

    def read(self, start: int) -> tuple[Sequence[str], int]:
        """Return the notes from the offset ``start`` on; of a newly made file, all notes.

        Returns:
            The ids in the order of the changes, some perhaps repeated; and the offset after them.
        """
        end = self.end()
        if end == start:
            return (), start
        try:
            with open_plain(self._path) as file:
                file.seek(start if start < end else 0)
                begin = file.tell()
                data = file.read()
        except RecordsError:
            return (), 0
        whole = data[: data.rfind(b"\n") + 1]
        return whole.decode("utf-8", "replace").splitlines(), begin + len(whole)

    def forget(self, end: int) -> bool:
        """Delete the file if it is large and ends at ``end``; return whether it was deleted."""
        if end < _LARGEST or self.end() != end:
            return False
        self._path.unlink(missing_ok=True)
        return True


_FEW = 20
"""The most logs that are flushed one by one."""


class SessionStore:
    """The sessions of a data folder."""

    def __init__(self, folder: DataFolder, *, durable: bool = True) -> None:
        """Open the store without reading any file.

        Args:
            folder: the data folder.
            durable: whether labels are on the disk when `change_labels` returns. If not, they are
                on the disk when `flush` returns, which is quicker for many labels.
        """
        self.folder = folder
        self._durable = durable
        self._unflushed: set[Path] = set()
        self.changed = ChangedSessions(folder)
        self.large = LargeSessions(folder)

    def __iter__(self) -> Iterator[LabeledSession]:
        """Yield all sessions, sorted by id.

        Raises:
            InvalidRecordError: a session or its log cannot be read.
        """
        for path in self.folder.list_session_files():
            yield self.join_labels(read_session(path))

    def scan(
        self, paths: Iterable[Path] | None = None
    ) -> Iterator[LabeledSession | InvalidRecordError]:
        """Yield sessions, or the problem of a session that cannot be read.

        Args:
            paths: the records to read; None for all, sorted by id.
        """
        for path in self.folder.list_session_files() if paths is None else paths:
            try:
                yield self.join_labels(read_session(path))
            except InvalidRecordError as error:
                yield copy(error)  # without the frames that hold its bytes
            except MissingRecordError:
                continue  # the session was deleted meanwhile

    def read(self, session_id: str, *, whole: bool = True) -> LabeledSession:
        """Return a session; without ``whole``, a large session has no messages.

        Raises:
            MissingRecordError: there is no session with this id.
            InvalidRecordError: the session or its log cannot be read.
        """
        return self._read_record_and_labels(session_id, whole=whole)[1]

    def write(self, session: Session, *, published: bool = False, durable: bool = True) -> bool:
        """Write the record of a session; return whether it changed. Its log stays.

        The record has the labels of ``session``, which later events of the log change.

        Args:
            session: the session.
            published: whether the record is written to the published sessions, unless there is a
                raw session; if not, it is written to the raw sessions.
            durable: whether the record is on the disk when this returns. A caller that writes
                thousands of records may flush them together at the end.

        Raises:
            InvalidRecordError: the present record cannot be read.
        """
        path = self.folder.local.sessions.get_file(session.id)
        if published and not path.exists():
            path = self.folder.sessions.get_file(session.id)
        with self.lock_session(session.id):
            if self._is_written(session, path):
                return False
            write_atomically(path, encode_session(session), durable=durable)
            self.large.keep(path, session)
            self.changed.note(session.id)
            return True

    def holds(self, session: Session) -> bool:
        """Return whether the raw session is the same as ``session``.

        Raises:
            InvalidRecordError: the present record cannot be read.
        """
        return self._is_written(session, self.folder.local.sessions.get_file(session.id))

    def change_labels(
        self,
        session_id: str,
        build: Callable[[LabeledSession], Sequence[LabelEvent]],
        *,
        version: str | None = None,
        whole: bool = False,
    ) -> LabeledSession:
        """Append the events that ``build`` returns to the log; return the session after them.

        Args:
            session_id: the session.
            build: returns the events for the session before them, or raises an error. No other
                writer can change the session meanwhile.
            version: the version that the reviewer saw; None to accept any version.
            whole: whether a large session has its messages (`review.store`).

        Raises:
            MissingRecordError: there is no such session.
            ChangedMeanwhileError: the session has another version than ``version``.
        """
        with self.lock_session(session_id):
            record, before = self._read_record_and_labels(session_id, whole=whole)
            if version not in {None, before.version}:
                raise ChangedMeanwhileError(
                    f"{session_id}: somebody changed the session since it was shown"
                )
            new = build(before)
            if not new:
                return before
            copy = self.folder.sessions.get_file(session_id)
            is_raw = self.folder.local.sessions.get_file(session_id).exists()
            if copy.exists() and (is_raw or record.source_digest is not None):
                new = redact_events(new)
            log = self.folder.get_label_file(session_id)
            log.parent.mkdir(parents=True, exist_ok=True)
            with Log(log, make=True) as file:
                file.cut().append(encode_events(new), durable=self._durable)
            if not self._durable:
                self._unflushed.add(log)
            self.changed.note(session_id)
            events = order_events([*before.events, *new])
            return LabeledSession(apply_labels(record, events), events, new, before.transcript)

    @contextmanager
    def lock_session(self, session_id: str) -> Generator[None]:
        """Hold the lock of a session for a block, so that no other writer changes it.

        Do not call a method that writes inside the block, because it would wait for the same lock:
        all sessions share it whose ids have the same first byte of the digest.
        """
        self.folder.locks.mkdir(parents=True, exist_ok=True)
        name = f"sessions-{compute_text_digest(session_id)[:2]}.lock"
        with lock_file(self.folder.locks / name):
            yield

    def _is_written(self, session: Session, path: Path) -> bool:
        return path.exists() and read_record(Session, path) == session

    def flush(self) -> None:
        """Write all labels to the disk, for a store that is not durable."""
        if len(self._unflushed) > _FEW:
            os.sync()  # one call, because fsync of hundreds of files takes long
            self._unflushed.clear()
        for path in self._unflushed:
            with suppress(MissingRecordError), open_plain(path) as log:
                os.fsync(log.fileno())
        for folder in {path.parent for path in self._unflushed}:
            make_durable(folder)
        self._unflushed.clear()

    def _read_record_and_labels(
        self, session_id: str, *, whole: bool
    ) -> tuple[Session, LabeledSession]:
        """Return the record of a session, and the session with the labels of its log.

        Without ``whole``, a large session has no messages.
        """
        path = self.folder.get_session_file(session_id)
        stamped = self.large.read(path, whole=whole)
        _check_name(path, stamped.record)
        return stamped.record, self.join_labels(stamped.record, stamped.transcript)

    def join_labels(self, record: Session, transcript: str | None = None) -> LabeledSession:
        """Return a session with the labels of its log.

        Args:
            record: the record of the session.
            transcript: the digest of its transcript; None to compute it at each use.

        Raises:
            InvalidRecordError: the log cannot be read.
        """
        events = read_log(LabelEvent, self.folder.get_label_file(record.id))
        return LabeledSession(apply_labels(record, events), events, known_transcript=transcript)


def read_session(path: Path) -> Session:
    """Return the session at ``path``.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the file is no session, or has the name of another session.
    """
    record = read_record(Session, path)
    _check_name(path, record)
    return record


def _check_name(path: Path, record: Session) -> None:
    """Refuse a record whose file has the name of another session.

    Raises:
        InvalidRecordError: the id in the record is not the name of the file.
    """
    if path.name != f"{record.id}{RECORD}":
        raise InvalidRecordError(path, "id", f"is {record.id}: rename the file, or delete it")
