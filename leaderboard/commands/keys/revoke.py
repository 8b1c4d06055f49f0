"""`leaderboard keys revoke`: a key is refused from now on."""

from pathlib import Path

import click

from leaderboard.api.keys import KeyStore
from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder


@click.command("revoke", epilog=format_examples("leaderboard keys revoke laptop"))
@click.argument("name")
@data_option
@json_option
def command(*, name: str, data_root: Path, as_json: bool) -> int:
    """Refuse a key from now on."""
    KeyStore(DataFolder(data_root).keys_file).revoke(name)
    if as_json:
        say_json({"name": name, "revoked": True})
    else:
        say(f"{name} is revoked")
    return 0
