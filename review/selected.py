"""Selected sessions, and the sessions that cannot be read, for all ways of export."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from records.errors import InvalidRecordError, MissingRecordError
from review.labeled_session import LabeledSession
from review.selection import SessionSelection
from review.store import SessionProblem, SessionStore


class IndexOfIds(Protocol):
    """An index that finds selected sessions."""

    def list_ids(self, selection: SessionSelection) -> Sequence[str]:
        """Return the ids of the selected sessions."""
        ...

    def list_unreadable(self) -> Sequence[str]:
        """Return the ids of the sessions that cannot be read."""
        ...


def select_sessions(
    store: SessionStore, selection: SessionSelection, index: IndexOfIds | None = None
) -> Iterator[LabeledSession | SessionProblem]:
    """Yield the selected sessions, sorted by id, and a problem for each unreadable session.

    Whether an unreadable session is selected is not known, unless ``selection`` names ids. The
    limit of the selection has no effect.

    Args:
        store: the sessions.
        selection: the conditions.
        index: finds the selected sessions, so that only their files are read. If it is None and
            the selection names no ids, all files are read.
    """
    if selection.ids:
        sources = _read(store, sorted(selection.ids))
    elif index is not None:
        sources = _read(
            store,
            sorted({*index.list_ids(replace(selection, limit=None)), *index.list_unreadable()}),
        )
    else:
        sources = store.scan()
    for source in sources:
        if isinstance(source, SessionProblem) or selection.selects(source):
            yield source


def _read(store: SessionStore, ids: Iterable[str]) -> Iterator[LabeledSession | SessionProblem]:
    for session_id in ids:
        try:
            yield store.read(session_id)
        except InvalidRecordError as error:
            yield SessionProblem.from_error(error)
        except MissingRecordError:
            continue  # the session was deleted meanwhile
