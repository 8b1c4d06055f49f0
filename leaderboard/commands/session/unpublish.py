"""`leaderboard session unpublish`: sessions become local again."""

from dataclasses import replace

import click

from leaderboard.options import format_examples
from leaderboard.sessions.session_lookup import ChosenSessions, changes_sessions
from leaderboard.terminal.streams import say_result
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
    lines = [*published.ids, f"{format_count(len(published.ids), 'session')} unpublished"]
    if published.ids:
        lines.append("the history of git keeps committed copies")
    say_result({"unpublished": [*published.ids]}, lines, as_json=chosen.as_json)
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
