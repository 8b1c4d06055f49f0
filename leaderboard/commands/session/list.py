"""`leaderboard session list`: sessions with their labels."""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.sessions.selection_options import (
    add_selection_options,
    build_selection,
    check_pseudonym,
)
from leaderboard.sessions.session_lookup import read_audited_ids
from leaderboard.terminal.exit_codes import CHECK_FAILED, DONE
from leaderboard.terminal.progress_lines import ProgressLines
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.text.numbers import format_count
from records.text.visible import make_one_line
from review.index.indexed_session import IndexedSession, make_index_row
from review.index.session_index import SessionIndex
from review.label_service import hide_disputed_rows
from review.publishing import Publication, find_publication
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


@click.command(
    "list",
    epilog=format_examples(
        "leaderboard session list --status golden --tag auth",
        "leaderboard session list --search useQuery --json",
    ),
)
@add_selection_options
@click.option("--ready", is_flag=True, default=None, help="Only sessions that are eval-ready.")
@click.option(
    "--reviewer", callback=check_pseudonym, help="Your pseudonym, if two people judge an audit."
)
@data_option
@json_option
def command(
    *,
    ready: bool | None,
    reviewer: str | None,
    data_root: Path,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - as selection_options says
) -> int:
    """List sessions, and the number of sessions with each status.

    Sessions that cannot be read are printed on standard error; then the exit code is 1. Sessions
    that must still be judged blind for an audit are not listed, because their status shows the
    grader's verdict.
    """
    store = SessionStore(DataFolder(data_root))
    audited = read_audited_ids(store, reviewer)
    chosen = audited.restrict_selection(build_selection(options, ready=ready))
    selected_rows, problems = read_session_rows(store, chosen)
    rows = hide_disputed_rows(selected_rows, audited)
    for problem in problems:
        say(make_one_line(problem), err=True)
    if as_json:
        say_json([_build_row(store, row) for row in rows])
    else:
        lines = [make_one_line(_format_line(store, row), 160) for row in rows]
        say("\n".join([*lines, _format_summary(rows)]))
    return CHECK_FAILED if problems else DONE


_COPIES: Final = {
    Publication.LOCAL: "",
    Publication.PUBLISHED: "  (published)",
    Publication.OUTDATED: "  (published copy outdated)",
}


def _format_line(store: SessionStore, row: IndexedSession) -> str:
    tags = f"  [{', '.join(row.tags)}]" if row.tags else ""
    ready_mark = "*" if row.ready else " "
    copy = _COPIES[_find_publication(store, row)]
    return f"{row.id}  {row.status:<12}{ready_mark} {row.title}{tags}{copy}"


def _find_publication(store: SessionStore, row: IndexedSession) -> Publication:
    if not store.folder.get_published_session_file(row.id).exists():
        return Publication.LOCAL  # the usual case, in which no session is read
    return find_publication(store.folder, store.read_record(row.id))


def _format_summary(rows: Sequence[IndexedSession]) -> str:
    counts = Counter(row.status.value for row in rows)
    statuses = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
    return f"{format_count(len(rows), 'session')}{f': {statuses}' if statuses else ''}"


def _build_row(store: SessionStore, row: IndexedSession) -> dict[str, object]:
    return {
        "id": row.id,
        "title": row.title,
        "model": row.model,
        "source": row.source,
        "publication": _find_publication(store, row).value,
        "created_at": row.created,
        "evalReady": row.ready,
        "evalStatus": row.status.value,
        "evalTags": list(row.tags),
        "reviewedAt": row.reviewed,
    }
