"""`leaderboard session version list`: the versions of datasets."""

from pathlib import Path

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.reader import read_dataset
from records.text.numbers import format_count


@click.command("list", epilog=format_examples("leaderboard session version list"))
@data_option
@json_option
def command(*, data_root: Path, as_json: bool) -> int:
    """List the versions, sorted by name."""
    versions = [read_dataset(path) for path in DataFolder(data_root).local.list_dataset_files()]
    if as_json:
        say_json(
            [
                {
                    "name": version.name,
                    "created_at": version.created_at.isoformat(),
                    "sessions": len(version.members),
                    "digest": version.digest,
                }
                for version in versions
            ]
        )
        return 0
    for version in versions:
        members = format_count(len(version.members), "session")
        say(f"{version.name}  {version.created_at:%Y-%m-%d}  {members}")
    if not versions:
        say("no version: leaderboard session version create NAME makes one")
    return 0
