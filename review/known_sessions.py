"""The imported sessions of a store by their former ids, and the forks among them."""

from collections.abc import Iterable

from records.sessions.session import Session
from review.session_heads import SessionHead


class KnownSessions:
    """The imported sessions of a store. Sessions that are written meanwhile are added."""

    def __init__(self, heads: Iterable[SessionHead]) -> None:
        """Sort the heads of all records of the store."""
        self._heads: dict[str, SessionHead] = {}
        self._renamed: dict[str, str] = {}
        self._forks: dict[tuple[str, str], set[str]] = {}
        for head in heads:
            self._heads[head.id] = head
            self._renamed |= dict.fromkeys(head.former_ids, head.id)
            if head.forked_from is not None:
                self._forks.setdefault((head.importer, head.forked_from), set()).add(head.id)

    def of_today(self, session: Session) -> Session:
        """Return a session that was read from a file with the id that the store knows it by.

        An export of a session that was renamed meanwhile has its former id.
        """
        new = self._renamed.get(session.id, session.id)
        head = self._heads.get(new)
        former = head.former_ids if head is not None else ()
        if new == session.id and former == session.former_ids:
            return session
        return session.model_copy(update={"id": new, "former_ids": former})

    def add(self, session: Session) -> None:
        """Take note of a session that was written."""
        source = session.source
        if source.kind == "file" and source.forked_from is not None:
            self._forks.setdefault((source.importer, source.forked_from), set()).add(session.id)

    def forks_of(self, session: Session) -> list[str]:
        """Return the ids of the sessions that begin with a copy of it."""
        source = session.source
        if source.kind != "file" or source.identity is None:
            return []
        return sorted(self._forks.get((source.importer, source.identity), ()))
