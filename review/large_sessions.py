"""Large sessions are read seldom: a label needs no transcript, and pages of one need it once.

Beside a large record a small file in the cache keeps the session without its messages, with the
digest of its transcript. It counts while the record has the stamp that it had; all of the cache may
be deleted. The transcript that was read last stays in memory for as long as its store.
"""

import contextlib
import os
import threading
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.reader import read_bytes, read_session
from records.sessions.session import Session
from records.shapes.base import Digest, Record
from records.writer import record_bytes, write_atomically
from review.transcripts import transcript_digest

LARGE: Final = 2 * 1024 * 1024
"""Bytes of a record from which on a session is large."""


class SessionHeadRead(NamedTuple):
    """A session as its record has it."""

    record: Session
    transcript: str
    """The digest of its transcript."""


class _Head(Record):
    """The file of a large session in the cache."""

    stamp: str
    transcript: Digest
    record: Session
    """Without messages."""


class LargeSessions:
    """The large sessions of a data folder; safe to use from several threads and processes."""

    def __init__(self, folder: DataFolder) -> None:
        self._heads = folder.cache / "heads"
        self._lock = threading.Lock()
        self._last: tuple[str, SessionHeadRead] | None = None

    def read(self, path: Path) -> SessionHeadRead:
        """Return the session of a record.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: the file is not a session.
        """
        stamp = _stamp(path)
        if stamp is None:
            return _read(path)
        with self._lock:
            last = self._last
        if last is not None and last[0] == stamp:
            return last[1]
        record = read_session(path)
        head = self._head(path, stamp)
        transcript = transcript_digest(record) if head is None else head.transcript
        session = SessionHeadRead(record, transcript)
        if head is None:
            self._write(stamp, session)
        with self._lock:
            self._last = stamp, session
        return session

    def read_head(self, path: Path) -> SessionHeadRead:
        """Return the session of a record; of a large one without its messages.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: the file is not a session.
        """
        stamp = _stamp(path)
        if stamp is None:
            return _read(path)
        head = self._head(path, stamp)
        if head is not None:
            return SessionHeadRead(head.record, head.transcript)
        session = _read(path)
        self._write(stamp, session)
        return session

    def keep(self, path: Path, record: Session) -> None:
        """Keep the head of a session that was just written to ``path``, where that is large."""
        stamp = _stamp(path)
        if stamp is not None:
            self._write(stamp, SessionHeadRead(record, transcript_digest(record)))

    def forget(self, session_id: str) -> None:
        """Delete the file in the cache of a session that is no more."""
        with contextlib.suppress(OSError):
            (self._heads / f"{session_id}.json").unlink(missing_ok=True)

    def _head(self, path: Path, stamp: str) -> _Head | None:
        try:
            head = _Head.model_validate_json(read_bytes(self._heads / path.name))
        except (RecordsError, ValidationError):
            return None
        return head if head.stamp == stamp else None

    def _write(self, stamp: str, session: SessionHeadRead) -> None:
        """Write a file of the cache; where that fails, the record is read the next time."""
        record = session.record.model_copy(update={"messages": ()})
        head = _Head(stamp=stamp, transcript=session.transcript, record=record)
        with contextlib.suppress(OSError):
            path = self._heads / f"{record.id}.json"
            write_atomically(path, record_bytes(head), durable=False)


def _read(path: Path) -> SessionHeadRead:
    record = read_session(path)
    return SessionHeadRead(record, transcript_digest(record))


def _stamp(path: Path) -> str | None:
    """Return the stamp of a large record; null of any other, and where there is none."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if status.st_size < LARGE:
        return None
    return f"{path.resolve()} {status.st_mtime_ns} {status.st_size} {status.st_ino}"
