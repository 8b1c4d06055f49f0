"""Quick reading of large sessions, whose transcripts are needed seldom.

For each large record, a small file in the cache has the session without its messages, and the
digest of its transcript. So a label needs no transcript. The file counts while the stamp of the
record is the same. The cache may be deleted at any time. The store keeps the last large session in
memory, because several pages of it are often read in turn.
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
from records.writer import encode_record, write_atomically
from review.turns import compute_transcript_digest

LARGE: Final = 2 * 1024 * 1024
"""Bytes of the record of a large session; a smaller record is not cached."""


class SessionHeadRead(NamedTuple):
    """The record of a session, perhaps without messages, and the digest of its transcript."""

    record: Session
    transcript: str
    """The digest of the transcript."""


class _Head(Record):
    """The file of a large session in the cache."""

    stamp: str
    transcript: Digest
    record: Session
    """The record without messages."""


class LargeSessions:
    """Reader of the large sessions of a data folder; safe for several threads and processes."""

    def __init__(self, folder: DataFolder) -> None:
        self._heads = folder.cache / "heads"
        self._lock = threading.Lock()
        self._last: tuple[str, SessionHeadRead] | None = None

    def read(self, path: Path) -> SessionHeadRead:
        """Return the whole session at ``path``.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: the file is not a session.
        """
        stamp = _find_large_stamp(path)
        if stamp is None:
            return _read(path)
        with self._lock:
            last = self._last
        if last is not None and last[0] == stamp:
            return last[1]
        record = read_session(path)
        head = self._read_kept_head(path, stamp)
        transcript = compute_transcript_digest(record) if head is None else head.transcript
        session = SessionHeadRead(record, transcript)
        if head is None:
            self._write(stamp, session)
        with self._lock:
            self._last = stamp, session
        return session

    def read_head(self, path: Path) -> SessionHeadRead:
        """Return the session at ``path``; a large session has no messages.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: the file is not a session.
        """
        stamp = _find_large_stamp(path)
        if stamp is None:
            return _read(path)
        head = self._read_kept_head(path, stamp)
        if head is not None:
            return SessionHeadRead(head.record, head.transcript)
        session = _read(path)
        self._write(stamp, session)
        return session

    def keep(self, path: Path, record: Session) -> None:
        """Write the cache file of a session that was just written to ``path``, if it is large."""
        stamp = _find_large_stamp(path)
        if stamp is not None:
            self._write(stamp, SessionHeadRead(record, compute_transcript_digest(record)))

    def forget(self, session_id: str) -> None:
        """Delete the cache file of a session that was deleted."""
        with contextlib.suppress(OSError):
            (self._heads / f"{session_id}.json").unlink(missing_ok=True)

    def _read_kept_head(self, path: Path, stamp: str) -> _Head | None:
        try:
            head = _Head.model_validate_json(read_bytes(self._heads / path.name))
        except (RecordsError, ValidationError):
            return None
        return head if head.stamp == stamp else None

    def _write(self, stamp: str, session: SessionHeadRead) -> None:
        """Write a cache file. If this fails, the record is read again the next time."""
        record = session.record.model_copy(update={"messages": ()})
        head = _Head(stamp=stamp, transcript=session.transcript, record=record)
        with contextlib.suppress(OSError):
            path = self._heads / f"{record.id}.json"
            write_atomically(path, encode_record(head), durable=False)


def _read(path: Path) -> SessionHeadRead:
    record = read_session(path)
    return SessionHeadRead(record, compute_transcript_digest(record))


def _find_large_stamp(path: Path) -> str | None:
    """Return the stamp of a large record; None if the record is small or missing."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if status.st_size < LARGE:
        return None
    return f"{path.resolve()} {status.st_mtime_ns} {status.st_size} {status.st_ino}"
