"""`leaderboard migrate`: rewrite records of older schema versions."""

from pathlib import Path

import click

from leaderboard.options import data_option, examples, json_option
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.rewriting import migrate_folder


@click.command(
    "migrate",
    epilog=examples(
        "leaderboard migrate && git diff --stat data",
    ),
)
@data_option
@json_option
def command(*, data_root: Path, as_json: bool) -> None:
    """Rewrite every record of an older schema version in today's."""
    data = DataFolder(data_root)
    paths = [
        path for folder in (data, data.local) for path in migrate_folder(folder, locks=data.locks)
    ]
    if as_json:
        say_json({"rewritten": [str(path) for path in paths]})
        return
    for path in paths:
        say(path)
    say(f"{len(paths)} rewritten")
