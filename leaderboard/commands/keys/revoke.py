"""`leaderboard keys revoke`: a key that holds no more."""

from pathlib import Path

import click

from leaderboard.api.keys import KeyStore
from leaderboard.options import data_option, examples
from leaderboard.streams import say
from records.folder import DataFolder


@click.command("revoke", epilog=examples("leaderboard keys revoke laptop"))
@click.argument("name")
@data_option
def command(*, name: str, data_root: Path) -> int:
    """Refuse a key from now on."""
    KeyStore(DataFolder(data_root).keys_file).revoke(name)
    say(f"{name} holds no more")
    return 0
