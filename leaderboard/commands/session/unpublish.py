"""`leaderboard session unpublish`: sessions become local again."""

from dataclasses import replace

import click

from leaderboard.options import format_examples
from leaderboard.sessions.chosen_sessions import ChosenSessions, changes_sessions
from leaderboard.terminal.streams import say, say_json
from records.text.numbers import format_count
from review.publishing import Publication, find_publication, unpublish


@click.command(
    "unpublish", epilog=format_examples("leaderboard session unpublish --source chat --yes")
)
@changes_sessions("Do it without asking.")
def command(*, chosen: ChosenSessions) -> int:
    """Remove the published copies of SESSIONS, given by the beginnings of their ids.

    Labels become local. If the raw session is missing, the copy becomes local, too. Git's history
    keeps committed copies.
    """
    published = _select_published(chosen)
    copies = format_count(len(published.ids), "published copy", "published copies")
    published.change(f"Remove {copies}?", unpublish)
    if chosen.as_json:
        say_json({"unpublished": [*published.ids]})
        return 0
    for session_id in published.ids:
        say(session_id)
    say(f"{format_count(len(published.ids), 'session')} unpublished")
    if published.ids:
        say("the history of git keeps committed copies")
    return 0


def _select_published(chosen: ChosenSessions) -> ChosenSessions:
    """Return the sessions that have a published copy."""
    store = chosen.store
    ids = [
        session_id
        for session_id in chosen.ids
        if find_publication(store.folder, store.read(session_id).session) is not Publication.LOCAL
    ]
    return replace(chosen, ids=ids)
