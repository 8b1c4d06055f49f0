"""`leaderboard keys list`: the keys without their secrets."""

from datetime import UTC, datetime
from pathlib import Path

import click

from leaderboard.api.keys import KeyStore
from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder


@click.command("list", epilog=format_examples("leaderboard keys list --json"))
@data_option
@json_option
def command(*, data_root: Path, as_json: bool) -> int:
    """List the keys with their scopes, creation and expiry."""
    keys = KeyStore(DataFolder(data_root).keys_file).read_keys()
    if as_json:
        say_json([key.model_dump(mode="json", exclude={"digest"}) for key in keys])
        return 0
    now = datetime.now(UTC)
    for key in keys:
        until = f"until {key.expires_at:%Y-%m-%d}" if key.expires_at else "until it is revoked"
        state = until if key.holds(now) else "not valid any more"
        used = f"used {key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never used"
        say(
            f"{key.name:<40} {', '.join(key.scopes)} ({key.channel})  "
            f"since {key.created_at:%Y-%m-%d}, {state}, {used}"
        )
    return 0
