"""`leaderboard keys list`: the keys without their secrets."""

from datetime import UTC, datetime
from pathlib import Path

import click

from leaderboard.options import data_option, examples, json_option
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from review.api.keys import KeyStore


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
        say(f"{one.name:<40} {', '.join(one.scopes)}  since {one.created_at:%Y-%m-%d}, {state}")
    return 0
