"""`leaderboard session list`: sessions with their labels."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

from leaderboard.options import data_option, examples, json_option
from leaderboard.session_options import pseudonym, selection, selection_options
from leaderboard.sessions import without_waiting
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.session import Session
from records.showing import counted, one_line
from review.selection import source_name
from review.store import SessionStore


@click.command(
    "list",
    epilog=examples(
        "leaderboard session list --status golden --tag auth",
        "leaderboard session list --search useQuery --json",
    ),
)
@selection_options
@click.option("--ready", is_flag=True, default=None, help="Only those that are eval-ready.")
@click.option(
    "--reviewer", callback=pseudonym, help="Your pseudonym, where two people judge an audit."
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
    """List sessions, and how many have each status.

    What an audit is yet to have judged is not listed: its status is what its grader said.
    """
    store = SessionStore(DataFolder(data_root))
    chosen = without_waiting(store, selection(options, ready=ready), reviewer)
    if as_json:
        say_json([_row(session) for session in chosen.of(store)])
        return 0
    counts: Counter[str] = Counter()
    for session in chosen.of(store):
        counts[session.eval_status.value] += 1
        tags = f"  [{', '.join(session.eval_tags)}]" if session.eval_tags else ""
        ready_mark = "*" if session.eval_ready else " "
        line = f"{session.id}  {session.eval_status:<12}{ready_mark} {session.title}{tags}"
        say(one_line(line, 160))
    said = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
    say(f"{counted(counts.total(), 'session')}{f': {said}' if said else ''}")
    return 0


def _row(session: Session) -> dict[str, object]:
    return {
        "id": session.id,
        "title": session.title,
        "model": session.model,
        "source": source_name(session),
        "created_at": session.created_at.isoformat() if session.created_at else None,
        "evalReady": session.eval_ready,
        "evalStatus": session.eval_status.value,
        "evalTags": list(session.eval_tags),
        "reviewedAt": session.reviewed_at.isoformat() if session.reviewed_at else None,
    }
