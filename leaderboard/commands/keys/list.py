"""`leaderboard keys list`: the keys without their secrets."""

from datetime import UTC, datetime
from pathlib import Path

import click

from leaderboard.api.keys import KeyStore
from leaderboard.options import data_option, examples, json_option
from leaderboard.streams import say, say_json
from records.folder import DataFolder


@click.command("list", epilog=examples("leaderboard keys list --json"))
@data_option
@json_option
def command(*, data_root: Path, as_json: bool) -> int:
    """List the keys: what each may do, since when, until when."""
    keys = KeyStore(DataFolder(data_root).keys_file).listed()
    if as_json:
        say_json([one.model_dump(mode="json", exclude={"digest"}) for one in keys])
        return 0
    now = datetime.now(UTC)
    for one in keys:
        until = f"until {one.expires_at:%Y-%m-%d}" if one.expires_at else "until it is revoked"
        state = until if one.holds(now) else "holds no more"
        used = f"used {one.last_used_at:%Y-%m-%d %H:%M}" if one.last_used_at else "never used"
        say(
            f"{one.name:<40} {', '.join(one.scopes)} ({one.channel})  "
            f"since {one.created_at:%Y-%m-%d}, {state}, {used}"
        )
    return 0
