"""`leaderboard session unpublish`: sessions become local again."""

from pathlib import Path
from typing import Any

import click

from leaderboard.asking import ask
from leaderboard.options import data_option, examples, json_option
from leaderboard.session_options import selection_options
from leaderboard.sessions import named_or_selected
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.showing import counted
from review.publishing import Publication, publication_of, unpublish
from review.store import SessionStore


@click.command("unpublish", epilog=examples("leaderboard session unpublish --source chat --yes"))
@click.argument("sessions", nargs=-1)
@selection_options
@click.option("--yes", "agreed", is_flag=True, help="Do it without asking.")
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
    """Remove the published copies of SESSIONS, given by the beginnings of their ids.

    Labels become local. Where the raw session is not here, the copy becomes local, too. The history
    of git keeps committed copies.
    """
    store = SessionStore(DataFolder(data_root))
    chosen = [
        session_id
        for session_id in named_or_selected(store, sessions, options)
        if publication_of(store.folder, store.read(session_id).session) is not Publication.LOCAL
    ]
    if chosen:
        ask(f"Remove {counted(len(chosen), 'published copy', 'published copies')}?", agreed=agreed)
    for session_id in chosen:
        unpublish(store, session_id)
    if as_json:
        say_json({"unpublished": chosen})
        return 0
    for session_id in chosen:
        say(session_id)
    say(f"{counted(len(chosen), 'session')} unpublished")
    if chosen:
        say("the history of git keeps committed copies")
    return 0
