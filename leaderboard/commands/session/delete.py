"""`leaderboard session delete`: sessions and their labels are removed."""

import click

from leaderboard.options import format_examples
from leaderboard.sessions.session_lookup import ChosenSessions, changes_sessions
from leaderboard.terminal.streams import say, say_result
from records.text.numbers import format_count
from records.text.visible import make_one_line
from review.audit.audit_progress import AuditTasks
from review.publishing import delete, list_files_of_session


@click.command(
    "delete",
    epilog=format_examples(
        "leaderboard session delete 9f2c --yes", "leaderboard session delete --tag old --yes"
    ),
)
@changes_sessions("Delete without asking.")
def command(*, chosen: ChosenSessions) -> int:
    """Delete SESSIONS, given by the beginnings of their ids, with labels and published copies.

    Sessions of an audit are refused, because the results of the audit would change. Git's history
    keeps committed files.
    """
    _refuse_drawn(chosen)
    if not chosen.as_json:
        _show(chosen)
    number = format_count(len(chosen.ids), "session")
    chosen.change(f"Delete {number} with their labels?", delete)
    say_result({"deleted": [*chosen.ids]}, [f"{number} deleted"], as_json=chosen.as_json)
    return 0


def _refuse_drawn(chosen: ChosenSessions) -> None:
    """Check that no session belongs to an audit.

    Raises:
        UsageError: a session belongs to an audit.
    """
    audits = AuditTasks(chosen.store).list_audits()
    drawn = {item.session for audit in audits for item in audit.items}
    for session_id in chosen.ids:
        if session_id in drawn:
            raise click.UsageError(f"{session_id}: belongs to an audit, which needs its labels")


def _show(chosen: ChosenSessions) -> None:
    """Print each session with its files."""
    for session_id in chosen.ids:
        session = chosen.store.read(session_id)
        labels = format_count(len(session.events), "label event")
        say(make_one_line(f"{session_id}  {session.session.title} ({labels})", 160))
        for path in list_files_of_session(chosen.store.folder, session_id):
            say(f"  {path}")
