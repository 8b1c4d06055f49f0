"""Imported sessions without a name in their source, which are recognised by their transcripts.

The id of such a session is made from the bytes of its file. So, if the file grows, all its sessions
would get new ids. Instead, a session keeps its id if the store has it or a shorter version of it.
In one import, a stored session is matched once at most.
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
"""Fields that are taken from the stored session if the transcript is the same."""

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
            stored = read_session(head.path)
            return session.model_copy(update={name: getattr(stored, name) for name in _KEPT})
        return None

    def find_continued(self, session: Session, *, of_same_file: bool) -> Session | None:
        """Return ``session`` with the id of the stored session that it continues, or None.

        With ``of_same_file``, only stored sessions from a file of the same name are considered.
        """
        for digest in reversed(_compute_digests(session)):
            for head in self._with_transcript(session, digest):
                if not of_same_file or head.source.name == _get_file_name(session):
                    former = head.former_ids
                    return session.model_copy(update={"id": head.id, "former_ids": former})
        return None

    def _with_transcript(self, session: Session, digest: str) -> list[SessionHead]:
        """Return the heads of stored sessions with this importer, title and digest.

        Sessions that are part of this import are left out.
        """
        key = _make_key(session)
        if key not in self._by_transcript:
            self._by_transcript[key] = _group_by_transcript(self._heads.get(key, []))
        heads = self._by_transcript[key].get(digest, [])
        return [head for head in heads if head.id not in self._claimed]


def _group_by_transcript(heads: list[SessionHead]) -> _ByTranscript:
    """Return the heads by the digest of the transcript, without those of unreadable records."""
    transcripts: _ByTranscript = {}
    for head in heads:
        try:
            digests = _compute_digests(read_session(head.path))
        except InvalidRecordError:
            continue
        transcripts.setdefault(digests[-1], []).append(head)
    return transcripts


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


def _get_file_name(session: Session) -> str | None:
    return session.source.name if session.source.kind == "file" else None
