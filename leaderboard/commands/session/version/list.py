"""`leaderboard session version list`: the versions of datasets."""

from pathlib import Path

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.streams import say_result
from records.files.data_folder import DataFolder
from records.reader import read_dataset
from records.text.numbers import format_count


@click.command("list", epilog=format_examples("leaderboard session version list"))
@data_option
@json_option
def command(*, data_root: Path, as_json: bool) -> int:
    """List the versions, sorted by name."""
    versions = [read_dataset(path) for path in DataFolder(data_root).local.list_dataset_files()]
    rows = [
        {
            "name": version.name,
            "created_at": version.created_at.isoformat(),
            "sessions": len(version.members),
            "digest": version.digest,
        }
        for version in versions
    ]
    lines = [
        f"{version.name}  {version.created_at:%Y-%m-%d}  "
        f"{format_count(len(version.members), 'session')}"
        for version in versions
    ]
    nothing = ["no version: leaderboard session version create NAME makes one"]
    say_result(rows, lines or nothing, as_json=as_json)
    return 0
