"""`leaderboard keys revoke`: a key is refused from now on."""

from pathlib import Path

import click

from leaderboard.api.keys import KeyStore
from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.streams import say_result
from records.files.data_folder import DataFolder


@click.command("revoke", epilog=format_examples("leaderboard keys revoke laptop"))
@click.argument("name")
@data_option
@json_option
def command(*, name: str, data_root: Path, as_json: bool) -> int:
    """Refuse a key from now on."""
    KeyStore(DataFolder(data_root).keys_file).revoke(name)
    say_result({"name": name, "revoked": True}, [f"{name} is revoked"], as_json=as_json)
    return 0
