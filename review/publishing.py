"""Publishing of sessions: redacted copies in `data/sessions`, which git tracks.

A copy has the id of the raw session and the digest of its transcript, so that both have the same
labels. If there is a copy, the label log is beside it. After each step of publishing, readers find
a valid state: the log is written at its new path before the copy is, and is removed at its old path
afterwards.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import DataFolder
from records.reader import read_bytes, read_record
from records.sessions.events import encode_events, read_log
from records.sessions.labels import LabelEvent
from records.sessions.session import Session, encode_session, is_raw
from records.writer import write_atomically
from review.errors import ReviewError
from review.redaction import RedactedCopy, make_redacted_copy, redact_events
from review.store import SessionStore
from review.turns import compute_transcript_digest


class Publication(StrEnum):
    """The state of publication of a session."""

    LOCAL = "local"
    """Only the raw session exists, on this machine."""
    PUBLISHED = "published"
    """The published copy has the present transcript."""
    OUTDATED = "outdated"
    """The transcript changed since the copy was made."""


def find_publication(folder: DataFolder, session: Session) -> Publication:
    """Return the state of publication of ``session``, which was read from the store.

    Raises:
        InvalidRecordError: the published copy cannot be read.
    """
    copy = folder.sessions.get_file(session.id)
    if not copy.exists():
        return Publication.LOCAL
    if not folder.local.sessions.get_file(session.id).exists():
        return Publication.PUBLISHED
    is_current = compute_transcript_digest(read_record(Session, copy)) == compute_transcript_digest(
        session
    )
    return Publication.PUBLISHED if is_current else Publication.OUTDATED


def find_outdated_copies(folder: DataFolder) -> Iterator[Path]:
    """Yield the published copies whose raw session changed, without unreadable files."""
    for path in folder.sessions.list_files():
        raw = folder.local.sessions.get_file(path.stem)
        if raw.exists():
            with suppress(InvalidRecordError, MissingRecordError):
                if find_publication(folder, read_record(Session, raw)) is Publication.OUTDATED:
                    yield path


def make_copy(store: SessionStore, session_id: str) -> RedactedCopy:
    """Return the redacted copy of a raw session, and write nothing.

    Raises:
        MissingRecordError: there is no raw session with this id.
        InvalidRecordError: the session or its log cannot be read.
    """
    folder = store.folder
    path = folder.local.sessions.get_file(session_id)
    if not path.exists():
        raise MissingRecordError(f"{path}: no raw session: copies are made of raw sessions")
    session = read_record(Session, path)
    events = read_log(LabelEvent, folder.get_label_file(session_id))
    return make_redacted_copy(session, events, compute_transcript_digest(session))


def publish(store: SessionStore, session_id: str) -> RedactedCopy:
    """Write the redacted copy of a raw session, move its label log beside the copy; return both.

    Raises:
        MissingRecordError: there is no raw session with this id.
        InvalidRecordError: the session or its log cannot be read.
    """
    folder = store.folder
    with store.lock_session(session_id):
        copy = make_copy(store, session_id)
        _write_copy(folder, copy.session, copy.events)
        return copy


def publish_attempt(store: SessionStore, session_id: str) -> None:
    """Move a raw session whose run was published to `data/sessions`, with its labels.

    Its texts are public, so only the labels are redacted. Without a raw session, nothing happens.

    Raises:
        InvalidRecordError: the session or its log cannot be read.
    """
    folder = store.folder
    raw = folder.local.sessions.get_file(session_id)
    if not raw.exists():
        return
    with store.lock_session(session_id):
        events = read_log(LabelEvent, folder.get_label_file(session_id))
        _write_copy(folder, read_record(Session, raw), redact_events(events))
        raw.unlink()


def unpublish(store: SessionStore, session_id: str) -> bool:
    """Remove the published copy of a session; return whether there was one.

    The label log becomes local. So does the copy if there is no raw session. The history of git
    keeps committed files.

    Raises:
        ReviewError: the session belongs to a published run, whose answers are public.
    """
    folder = store.folder
    with store.lock_session(session_id):
        record = folder.sessions.get_file(session_id)
        if not record.exists():
            return False
        published = read_record(Session, record)
        local_runs = {path.stem for path in folder.local.list_run_files()}
        if published.source_digest is None and not is_raw(published, local_runs):
            raise ReviewError(f"{session_id}: its run is published, with the same texts")
        # Move the log to the local folder, and the record if there is no raw session.
        raw = folder.local.sessions.get_file(session_id)
        log = folder.labels.get_file(session_id)
        if log.exists():
            # Each line of the two logs of a session once; the order of lines has no meaning.
            lines: dict[bytes, None] = {}
            for path in (folder.local.labels.get_file(session_id), log):
                if path.exists():
                    data = read_bytes(path)
                    lines |= dict.fromkeys(data[: data.rfind(b"\n") + 1].splitlines(keepends=True))
            write_atomically(folder.local.labels.get_file(session_id), b"".join(lines))
        if not raw.exists():
            write_atomically(raw, read_bytes(record))
        record.unlink()
        log.unlink(missing_ok=True)
        return True


def _write_copy(folder: DataFolder, session: Session, events: Sequence[LabelEvent]) -> None:
    """Write a published session, with its log beside it if there are events."""
    if events:
        write_atomically(folder.labels.get_file(session.id), encode_events(events))
    write_atomically(folder.sessions.get_file(session.id), encode_session(session))
    folder.local.labels.get_file(session.id).unlink(missing_ok=True)


def delete(store: SessionStore, session_id: str) -> list[Path]:
    """Remove a session and its labels, raw and published; return the removed files.

    Raises:
        MissingRecordError: there is no such session.
    """
    with store.lock_session(session_id):
        paths = list_files_of_session(store.folder, session_id)
        if not paths:
            raise MissingRecordError(f"{session_id}: there is no such session")
        for path in paths:
            path.unlink(missing_ok=True)
        return paths


def list_files_of_session(folder: DataFolder, session_id: str) -> list[Path]:
    """Return the files of a session that exist: records, then label logs."""
    paths = (
        folder.sessions.get_file(session_id),
        folder.local.sessions.get_file(session_id),
        folder.labels.get_file(session_id),
        folder.local.labels.get_file(session_id),
    )
    return [path for path in paths if path.exists()]
