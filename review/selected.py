"""The sessions that a selection selects, and the unreadable sessions, for every way of export."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from records.errors import InvalidRecordError, MissingRecordError
from review.labeled_session import LabeledSession
from review.selection import SessionSelection
from review.store import SessionProblem, SessionStore


class IndexOfIds(Protocol):
    """An index that answers which sessions are selected."""

    def ids(self, selection: SessionSelection) -> Sequence[str]:
        """Return the ids of the selected sessions."""
        ...

    def unreadable(self) -> Sequence[str]:
        """Return the ids of the sessions that cannot be read."""
        ...


def selected(
    store: SessionStore, selection: SessionSelection, index: IndexOfIds | None = None
) -> Iterator[LabeledSession | SessionProblem]:
    """Yield the selected sessions by their ids, and a problem for each that cannot be read.

    A session that cannot be read may belong to the selection, unless that names its ids. The limit
    of the selection does not apply.

    Args:
        store: the sessions.
        selection: which of them.
        index: answers which sessions these are, so that not all files are read; null reads all,
            unless the selection names ids.
    """
    if selection.ids:
        sources = _read(store, sorted(selection.ids))
    elif index is not None:
        sources = _read(
            store, sorted({*index.ids(replace(selection, limit=None)), *index.unreadable()})
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
            yield SessionProblem.of(error)
        except MissingRecordError:
            continue  # deleted since its id was asked for
