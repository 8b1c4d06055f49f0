"""`leaderboard session tag`: free words by which sessions can be selected."""

from pathlib import Path

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.sessions.selection_options import check_pseudonym
from leaderboard.sessions.session_lookup import find_session_id
from leaderboard.terminal.streams import say_result
from records.files.data_folder import DataFolder
from records.text.visible import make_one_line
from review.label_service import LabelService
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
    service = LabelService(store, "cli")
    session_ids = [find_session_id(store, beginning) for beginning in sessions]
    for session_id in session_ids:  # all are checked before anything is written
        service.check(session_id, {"evalTags": []}, reviewer)
    tags: dict[str, list[str]] = {}
    for session_id in session_ids:
        saved = service.label(session_id, {}, reviewer, add_tags=add, remove_tags=remove)
        tags[session_id] = list(saved.visible.session.eval_tags)
    rows = [{"session": session_id, "tags": words} for session_id, words in tags.items()]
    lines = (f"{session_id} {', '.join(words) or 'no tags'}" for session_id, words in tags.items())
    say_result(rows, map(make_one_line, lines), as_json=as_json)
    return 0
