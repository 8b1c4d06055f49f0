"""`leaderboard migrate`: rewrite records of older schema versions."""

from pathlib import Path

import click

from leaderboard.options import data_option, examples, json_option
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.rewriting import migrate_folder
from records.showing import counted
from review.publishing import move_raw
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
    there. The history of git keeps the committed ones.
    """
    data = DataFolder(data_root)
    moved = move_raw(SessionStore(data))
    paths = [path for folder in (data, data.local) for path in migrate_folder(folder)]
    if as_json:
        say_json(
            {
                "rewritten": [str(path) for path in paths],
                "moved": [str(path) for path in moved],
            }
        )
        return
    for path in paths:
        say(path)
    say(f"{len(paths)} rewritten")
    if moved:
        say(f"{counted(len(moved), 'raw session')} moved to {data.session_folders[0]}")
        say("the history of git keeps the committed ones: docs/privacy.md")
