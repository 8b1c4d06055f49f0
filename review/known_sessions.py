"""Imported sessions of a store, by their former ids, and the forks among them."""

from collections.abc import Iterable

from records.sessions.session import FromFile, Session
from review.session_heads import SessionHead


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
