"""`leaderboard keys create`: a key that is shown once."""

from pathlib import Path

import click

from leaderboard.options import examples, new_data_option
from leaderboard.streams import say
from records.folder import DataFolder
from review.api.keys import SCOPES, KeyStore


@click.command("create", epilog=examples("leaderboard keys create laptop --days 90"))
@click.argument("name")
@click.option("--days", type=click.IntRange(1, 3650), help="How long it holds; else until revoked.")
@new_data_option
def command(*, name: str, days: int | None, data_root: Path) -> int:
    """Make a key that may read sessions. It is printed once and kept as a hash."""
    key = KeyStore(DataFolder(data_root).keys_file).create(name, SCOPES, days)
    say(key)
    say("keep it: it is shown this once", err=True)
    return 0
