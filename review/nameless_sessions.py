"""Imported sessions whose sources name no session: known again by their transcripts.

The id of such a session is made of the bytes of its file, so that a file that grew would make all
of its sessions anew. A session that the store has already, or has a shorter version of, keeps its
id; no session of the store is taken twice in an import.
"""

import hashlib
import json
from collections.abc import Iterable
from typing import Final

from records.errors import InvalidRecordError
from records.reader import read_session
from records.sessions.session import Session
from review.session_heads import SessionHead
from review.session_imports.row_formats.own_rows import NAME as OWN_EXPORT

_KEPT: Final = ("id", "former_ids", "source")
"""Fields of a session that stay as they are in the store where the transcript is the same."""

_ByTranscript = dict[str, list[SessionHead]]


def is_nameless(session: Session) -> bool:
    """Return whether the source of an imported session names no session."""
    source = session.source
    return source.kind == "file" and source.importer != OWN_EXPORT and source.identity is None


class NamelessSessions:
    """The nameless sessions of a store, by their importers and titles.

    Transcripts of a title are read where they are asked for.
    """

    def __init__(self, heads: Iterable[SessionHead]) -> None:
        """Sort the heads of all records of the store."""
        self._heads: dict[tuple[str, str], list[SessionHead]] = {}
        self._by_transcript: dict[tuple[str, str], _ByTranscript] = {}
        self._claimed: set[str] = set()
        for head in heads:
            if head.identity is None:
                self._heads.setdefault((head.importer, head.title), []).append(head)

    def claim(self, session: Session) -> None:
        """Take note that a session of the store is part of this import."""
        self._claimed.add(session.id)

    def may_hold(self, session: Session) -> bool:
        """Return whether the store may have the session under another id."""
        return _key(session) in self._heads

    def same_as(self, session: Session) -> Session | None:
        """Return a session with the id of the stored session of the same transcript."""
        for head in self._with_transcript(session, _digests(session)[-1]):
            stored = read_session(head.path)
            return session.model_copy(update={name: getattr(stored, name) for name in _KEPT})
        return None

    def later_version(self, session: Session, *, of_same_file: bool) -> Session | None:
        """Return a session with the id of the stored session that it goes on with.

        The latter may be demanded to come from a file of the same name.
        """
        for digest in reversed(_digests(session)):
            for head in self._with_transcript(session, digest):
                if not of_same_file or head.name == _file_name(session):
                    former = head.former_ids
                    return session.model_copy(update={"id": head.id, "former_ids": former})
        return None

    def _with_transcript(self, session: Session, digest: str) -> list[SessionHead]:
        """Return the unclaimed sessions of the same importer and title with a transcript."""
        key = _key(session)
        if key not in self._by_transcript:
            self._by_transcript[key] = _by_transcript(self._heads.get(key, []))
        heads = self._by_transcript[key].get(digest, [])
        return [head for head in heads if head.id not in self._claimed]


def _by_transcript(heads: list[SessionHead]) -> _ByTranscript:
    """Return sessions by the digests of their transcripts; unreadable records are left out."""
    transcripts: _ByTranscript = {}
    for head in heads:
        try:
            digests = _digests(read_session(head.path))
        except InvalidRecordError:
            continue
        transcripts.setdefault(digests[-1], []).append(head)
    return transcripts


def _digests(session: Session) -> list[str]:
    """Return the digest of the transcript up to each message."""
    digests: list[str] = []
    running = hashlib.sha256()
    for message in session.messages:
        calls = [call.model_dump() for call in message.tool_calls]
        spoken = (message.role, message.text, calls, message.tool_call_id)
        running.update(json.dumps(spoken).encode())
        digests.append(running.hexdigest())
    return digests


def _key(session: Session) -> tuple[str, str]:
    source = session.source
    return (source.importer if source.kind == "file" else "", session.title)


def _file_name(session: Session) -> str | None:
    return session.source.name if session.source.kind == "file" else None
