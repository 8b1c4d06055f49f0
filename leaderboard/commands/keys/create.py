"""`leaderboard keys create`: a key that is shown once."""

from collections.abc import Sequence
from pathlib import Path

import click

from leaderboard.api.keys import SCOPES, KeyStore, Scope
from leaderboard.api.run_shapes import Channel
from leaderboard.options import format_examples, json_option, new_data_option
from leaderboard.terminal.streams import say, say_result
from records.files.data_folder import DataFolder


@click.command(
    "create",
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
def command(  # noqa: PLR0913 - one parameter per option of the command
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
