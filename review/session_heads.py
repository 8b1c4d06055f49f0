"""Imported sessions of a store, known by their heads: the fields that identify a session.

Heads are read without messages. They have former ids and forks. A session without a name in its
source is recognised by its transcript instead.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import DataFolder
from records.files.plain_files import open_plain
from records.reader import read_record
from records.sessions.session import FromFile, Session
from records.shapes.base import OutsideText, SessionId
from review.session_imports.common.drafts import OWN_EXPORT

_BYTES = 16_384
"""Bytes at the beginning of a record, with its ids, its title and its source."""


class SessionHead(BaseModel):
    """The fields that identify a session that was imported from a file."""

    path: Path
    id: SessionId
    title: OutsideText
    former_ids: tuple[SessionId, ...] = ()
    source: FromFile


def read_session_heads(folder: DataFolder) -> Iterator[SessionHead]:
    """Yield the heads of all imported sessions; records that cannot be read are left out."""
    for path in folder.list_session_files():
        with suppress(InvalidRecordError, MissingRecordError, ValidationError):
            with open_plain(path) as file:
                start = file.read(_BYTES)
            try:
                fields = from_json(start, allow_partial=True)
            except ValueError:
                fields = None
            # All fields before the messages are whole if the messages have begun.
            if not isinstance(fields, dict) or "messages" not in fields:
                fields = read_record(Session, path).model_dump(include={*SessionHead.model_fields})
            # This fails for the session of an attempt.
            yield SessionHead.model_validate({**fields, "path": path, "id": path.stem})


class KnownSessions:
    """The imported sessions of a store, with those that are written later (`add`)."""

    def __init__(self, heads: Iterable[SessionHead]) -> None:
        """Take the heads of all imported sessions of the store."""
        self._heads: dict[str, SessionHead] = {}
        self._renamed: dict[str, str] = {}
        self._forks: dict[tuple[str, str], set[str]] = {}
        for head in heads:
            self._heads[head.id] = head
            self._renamed |= dict.fromkeys(head.former_ids, head.id)
            self._add_fork(head.id, head.source)

    def with_present_id(self, session: Session) -> Session:
        """Return a session that was read from a file, with its present id in the store.

        A file that was exported before the session was renamed has the former id.
        """
        new = self._renamed.get(session.id, session.id)
        head = self._heads.get(new)
        former = head.former_ids if head is not None else ()
        if new == session.id and former == session.former_ids:
            return session
        return session.model_copy(update={"id": new, "former_ids": former})

    def add(self, session: Session) -> None:
        """Add a session that was written to the store."""
        if session.source.kind == "file":
            self._add_fork(session.id, session.source)

    def _add_fork(self, session_id: str, source: FromFile) -> None:
        if source.forked_from is not None:
            self._forks.setdefault((source.importer, source.forked_from), set()).add(session_id)

    def list_forks(self, session: Session) -> list[str]:
        """Return the ids of the sessions that begin with a copy of ``session``, sorted."""
        source = session.source
        if source.kind != "file" or source.identity is None:
            return []
        return sorted(self._forks.get((source.importer, source.identity), ()))


_ByTranscript = dict[str, list[SessionHead]]


def is_nameless(session: Session) -> bool:
    """Return whether the source of an imported session gives it no name."""
    source = session.source
    return source.kind == "file" and source.importer != OWN_EXPORT and source.identity is None


class NamelessSessions:
    """Nameless sessions of a store, by importer and title.

    Transcripts are read only when a session with their title is looked up.
    """

    def __init__(self, heads: Iterable[SessionHead]) -> None:
        """Take the heads of all imported sessions of the store."""
        self._heads: dict[tuple[str, str], list[SessionHead]] = {}
        self._by_transcript: dict[tuple[str, str], _ByTranscript] = {}
        self._claimed: set[str] = set()
        for head in heads:
            if head.source.identity is None:
                self._heads.setdefault((head.source.importer, head.title), []).append(head)

    def claim(self, session: Session) -> None:
        """Exclude a stored session, which is part of this import, from later matches."""
        self._claimed.add(session.id)

    def may_hold(self, session: Session) -> bool:
        """Return whether the store has a nameless session of the same importer and title."""
        return _make_key(session) in self._heads

    def find_same(self, session: Session) -> Session | None:
        """Return ``session`` with the id of a stored session with its transcript, or None."""
        for head in self._with_transcript(session, _compute_digests(session)[-1]):
            # The fields that are taken from the stored session if the transcript is the same.
            kept = {"id": head.id, "former_ids": head.former_ids, "source": head.source}
            return session.model_copy(update=kept)
        return None

    def find_continued(self, session: Session, *, of_same_file: bool) -> Session | None:
        """Return ``session`` with the id of the stored session that it continues, or None.

        With ``of_same_file``, only stored sessions from a file of the same name are considered.
        """
        for digest in reversed(_compute_digests(session)):
            for head in self._with_transcript(session, digest):
                if not of_same_file or head.source.name == (
                    session.source.name if session.source.kind == "file" else None
                ):
                    former = head.former_ids
                    return session.model_copy(update={"id": head.id, "former_ids": former})
        return None

    def _with_transcript(self, session: Session, digest: str) -> list[SessionHead]:
        """Return the heads of stored sessions with this importer, title and digest.

        Sessions that are part of this import are left out.
        """
        key = _make_key(session)
        if key not in self._by_transcript:
            transcripts = self._by_transcript[key] = _ByTranscript()
            for head in self._heads.get(key, ()):
                with suppress(InvalidRecordError):
                    digests = _compute_digests(read_record(Session, head.path))
                    transcripts.setdefault(digests[-1], []).append(head)
        heads = self._by_transcript[key].get(digest, [])
        return [head for head in heads if head.id not in self._claimed]


def _compute_digests(session: Session) -> list[str]:
    """Return a digest for each message: of the transcript up to and with this message."""
    digests: list[str] = []
    running = hashlib.sha256()
    for message in session.messages:
        calls = [call.model_dump() for call in message.tool_calls]
        content = (message.role, message.text, calls, message.tool_call_id)
        running.update(json.dumps(content).encode())
        digests.append(running.hexdigest())
    return digests


def _make_key(session: Session) -> tuple[str, str]:
    source = session.source
    return (source.importer if source.kind == "file" else "", session.title)
