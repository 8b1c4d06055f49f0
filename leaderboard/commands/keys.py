"""`leaderboard keys`: the keys of the API."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from leaderboard.api.keys import SCOPES, KeyStore, Scope
from leaderboard.api.run_shapes import Channel
from leaderboard.command_groups import StrictGroup
from leaderboard.options import data_option, format_examples, json_option, new_data_option
from leaderboard.terminal.streams import say, say_json, say_result
from records.files.data_folder import DataFolder


@click.group(
    "keys",
    cls=StrictGroup,
    epilog=format_examples("leaderboard keys create laptop --days 90", "leaderboard keys list"),
)
def command() -> None:
    """Keys of the API of `leaderboard serve`; its page /api/docs describes the API."""


@command.command(
    "create",
    short_help="Make a key; it is shown once.",
    epilog=format_examples(
        "leaderboard keys create laptop --days 90                    # reads labelled sessions",
        "leaderboard keys create ci --scope runs:write               # sends development runs",
        "leaderboard keys create board --scope runs:write --channel production",
    ),
)
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    default=("sessions:read",),
    show_default=True,
    help="A permission of the key; repeatable.",
)
@click.option(
    "--channel",
    type=click.Choice(["development", "production"]),
    default="development",
    show_default=True,
    help="The runs that the key may read and send: those of data/local/, or published ones.",
)
@click.option("--days", type=click.IntRange(1, 3650), help="Days of validity; else until revoked.")
@new_data_option
@json_option
def create_command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    name: str,
    scopes: Sequence[Scope],
    channel: Channel,
    days: int | None,
    data_root: Path,
    as_json: bool,
) -> int:
    """Create a key. It is printed once, and only its hash is stored."""
    key = KeyStore(DataFolder(data_root).keys_file).create(
        name, tuple(dict.fromkeys(scopes)), days, channel
    )
    say_result({"name": name, "key": key}, [key], as_json=as_json)
    say("store it now: it is shown only once", err=True)
    return 0


@command.command(
    "list",
    short_help="List the keys, or revoke one.",
    epilog=format_examples("leaderboard keys list --json", "leaderboard keys list laptop --revoke"),
)
@click.argument("name", required=False)
@click.option("--revoke", is_flag=True, help="Refuse the key NAME from now on.")
@data_option
@json_option
def list_command(*, name: str | None, revoke: bool, data_root: Path, as_json: bool) -> int:
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
