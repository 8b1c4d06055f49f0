"""`leaderboard session delete`: sessions and their labels are removed."""

from pathlib import Path
from typing import Any

import click

from leaderboard.asking import ask
from leaderboard.options import data_option, examples, json_option
from leaderboard.session_options import selection_options
from leaderboard.sessions import named_or_selected
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.showing import counted, one_line
from review.audit.progress import AuditTasks
from review.publishing import delete, files_of
from review.store import SessionStore


@click.command(
    "delete",
    epilog=examples(
        "leaderboard session delete 9f2c --yes", "leaderboard session delete --tag old --yes"
    ),
)
@click.argument("sessions", nargs=-1)
@selection_options
@click.option("--yes", "agreed", is_flag=True, help="Delete without asking.")
@data_option
@json_option
def command(
    *,
    sessions: tuple[str, ...],
    agreed: bool,
    data_root: Path,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - as selection_options has them
) -> int:
    """Delete SESSIONS, given by the beginnings of their ids, with labels and published copies.

    Sessions of an audit are refused, for its figures would change. The history of git keeps
    committed files.
    """
    store = SessionStore(DataFolder(data_root))
    chosen = named_or_selected(store, sessions, options)
    drawn = {item.session for audit in AuditTasks(store).audits() for item in audit.items}
    for session_id in chosen:
        if session_id in drawn:
            raise click.UsageError(f"{session_id}: an audit drew it, and needs it and its labels")
    paths = {session_id: files_of(store.folder, session_id) for session_id in chosen}
    if not as_json:
        for session_id in chosen:
            session = store.read(session_id)
            labels = counted(len(session.events), "label event")
            say(one_line(f"{session_id}  {session.session.title} ({labels})", 160))
            for path in paths[session_id]:
                say(f"  {path}")
    if chosen:
        ask(f"Delete {counted(len(chosen), 'session')} with their labels?", agreed=agreed)
    for session_id in chosen:
        delete(store, session_id)
    if as_json:
        say_json({"deleted": chosen})
        return 0
    say(f"{counted(len(chosen), 'session')} deleted")
    return 0
