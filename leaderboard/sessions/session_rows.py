"""The rows of lists of sessions, from the index of their folder."""

import sqlite3
from collections.abc import Sequence
from itertools import islice

from leaderboard.terminal.progress_lines import ProgressLines
from review.index.indexed_session import IndexedSession, make_index_row
from review.index.session_index import SessionIndex
from review.selection import SessionSelection
from review.store import SessionProblem, SessionStore


def read_session_rows(
    store: SessionStore, chosen: SessionSelection
) -> tuple[Sequence[IndexedSession], Sequence[str]]:
    """Return the selected sessions, sorted by id, and the problems of sessions that are unreadable.

    If the index cannot be made or opened, such as on a read-only disk, all files are read.
    """
    index = SessionIndex(store, report=ProgressLines("sessions read for the index"))
    try:
        return index.list_rows(chosen)
    except (sqlite3.OperationalError, OSError):
        return _read_rows(store, chosen)


def _read_rows(
    store: SessionStore, chosen: SessionSelection
) -> tuple[Sequence[IndexedSession], Sequence[str]]:
    problems: list[str] = []
    rows: list[IndexedSession] = []
    for session in store.scan():
        if isinstance(session, SessionProblem):
            problems.append(str(session))
        elif chosen.selects(session):
            rows.append(make_index_row(session))
    return list(islice(rows, chosen.limit)), problems
