"""`leaderboard migrate`: rewrite records of older schema versions."""

from pathlib import Path

import click

from leaderboard.options import data_option, examples, json_option
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.rewriting import migrate_folder
from records.text.visible import counted
from review.publishing import move_raw
from review.session_heads import session_heads
from review.session_ids import is_by_file, migrate_session_ids
from review.store import SessionStore


@click.command(
    "migrate",
    epilog=examples(
        "leaderboard migrate && git diff --stat data",
    ),
)
@data_option
@json_option
def command(*, data_root: Path, as_json: bool) -> None:
    """Rewrite every record of an older schema version in today's.

    Raw sessions among the published ones move to data/local/sessions: older versions wrote imports
    there. The history of git keeps the committed ones. Imported sessions of coding tools get the
    ids that they have by today's rule; labels, comparisons and audits follow.
    """
    data = DataFolder(data_root)
    store = SessionStore(data)
    moved = move_raw(store)
    paths = [
        path for folder in (data, data.local) for path in migrate_folder(folder, locks=data.locks)
    ]
    renamed = migrate_session_ids(store)
    waiting = [head.id for head in session_heads(data) if is_by_file(head)]
    if as_json:
        say_json(
            {
                "rewritten": [str(path) for path in paths],
                "moved": [str(path) for path in moved],
                "renamed": dict(renamed),
                "waiting": waiting,
            }
        )
        return
    for path in paths:
        say(path)
    for old, new in renamed:
        say(f"session {old} is {new} now")
    say(f"{len(paths)} rewritten, {counted(len(renamed), 'session')} renamed")
    if moved:
        say(f"{counted(len(moved), 'raw session')} moved to {data.session_folders[0]}")
        say("the history of git keeps the committed ones: docs/privacy.md")
    if waiting:
        keep = "it keeps its id" if len(waiting) == 1 else "they keep their ids"
        say(f"{counted(len(waiting), 'session')} of a file without a name of its own: {keep} until")
        say("  `leaderboard session import` reads the file anew")
