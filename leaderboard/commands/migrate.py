"""`leaderboard migrate`: rewrite records of older schema versions."""

from pathlib import Path

import click

from leaderboard.options import data_option, examples
from leaderboard.streams import say
from records.folder import DataFolder
from records.rewriting import migrate_folder


@click.command(
    "migrate",
    epilog=examples(
        "leaderboard migrate && git diff --stat data",
    ),
)
@data_option
def command(*, data_root: Path) -> None:
    """Rewrite every record of an older schema version in today's."""
    data = DataFolder(data_root)
    paths = [path for folder in (data, data.local) for path in migrate_folder(folder)]
    for path in paths:
        say(path)
    say(f"{len(paths)} rewritten")
