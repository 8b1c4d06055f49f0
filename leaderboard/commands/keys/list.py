"""`leaderboard keys list`: the keys without their secrets; one can be revoked."""

from datetime import UTC, datetime
from pathlib import Path

import click

from leaderboard.api.keys import KeyStore
from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.streams import say, say_json, say_result
from records.files.data_folder import DataFolder


@click.command(
    "list",
    epilog=format_examples("leaderboard keys list --json", "leaderboard keys list laptop --revoke"),
)
@click.argument("name", required=False)
@click.option("--revoke", is_flag=True, help="Refuse the key NAME from now on.")
@data_option
@json_option
def command(*, name: str | None, revoke: bool, data_root: Path, as_json: bool) -> int:
    """List the keys with their scopes, creation and expiry; with NAME, only this key."""
    store = KeyStore(DataFolder(data_root).keys_file)
    if revoke and name is None:
        raise click.UsageError("--revoke: name the key")
    if revoke and name is not None:
        store.revoke(name)
        say_result({"name": name, "revoked": True}, [f"{name} is revoked"], as_json=as_json)
        return 0
    keys = [key for key in store.read_keys() if name in {None, key.name}]
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
