"""`leaderboard session tag`: free words by which sessions can be selected."""

from pathlib import Path

import click
from pydantic import JsonValue

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.sessions.selection_options import check_pseudonym
from leaderboard.sessions.session_lookup import find_session_id
from leaderboard.terminal.streams import say_result
from records.files.data_folder import DataFolder
from records.sessions.labels import LabelName
from records.sessions.session import Session
from records.text.visible import make_one_line
from review.audit.gate import guard
from review.store import SessionStore


@click.command(
    "tag",
    epilog=format_examples(
        "leaderboard session tag 4p2bzjf5m6ur --add auth --add pagination",
        "leaderboard session tag 4p2bzjf5m6ur --remove auth",
    ),
)
@click.argument("sessions", nargs=-1, required=True)
@click.option("--add", multiple=True, metavar="TAG", help="Repeatable.")
@click.option("--remove", multiple=True, metavar="TAG", help="Repeatable.")
@click.option("--reviewer", callback=check_pseudonym, help="A pseudonym of yours; never exported.")
@data_option
@json_option
def command(  # noqa: PLR0913 - click gives each option by name
    *,
    sessions: tuple[str, ...],
    add: tuple[str, ...],
    remove: tuple[str, ...],
    reviewer: str | None,
    data_root: Path,
    as_json: bool,
) -> int:
    """Add tags to SESSIONS, given by the beginnings of their ids, or remove tags."""
    if not add and not remove:
        raise click.UsageError("which tags? --add TAG or --remove TAG")
    store = SessionStore(DataFolder(data_root))

    def change_tags(session: Session) -> dict[LabelName, JsonValue]:
        new_tags = dict.fromkeys((*session.eval_tags, *add))
        return {"evalTags": [tag for tag in new_tags if tag not in remove]}

    gate = guard(store)
    session_ids = [find_session_id(store, beginning) for beginning in sessions]
    for session_id in session_ids:  # all are checked before anything is written
        gate.read(session_id, reviewer, whole=False)[1].check_change({"evalTags": []})
    tags: dict[str, list[str]] = {}
    for session_id in session_ids:
        done = store.label(session_id, change_tags, via="cli", reviewer=reviewer)
        tags[session_id] = list(done.session.eval_tags)
    rows = [{"session": session_id, "tags": words} for session_id, words in tags.items()]
    lines = (f"{session_id} {', '.join(words) or 'no tags'}" for session_id, words in tags.items())
    say_result(rows, map(make_one_line, lines), as_json=as_json)
    return 0
