"""`leaderboard help`: the output of `--help` of a command."""

from typing import cast

import click

from leaderboard.options import examples
from leaderboard.streams import say


@click.command(
    "help",
    epilog=examples("leaderboard help", "leaderboard help suite lint"),
)
@click.argument("command", nargs=-1)
@click.pass_context
def command(context: click.Context, *, command: tuple[str, ...]) -> None:
    """Show the help of COMMAND, else the list of commands."""
    shown = context.find_root()
    for name in command:
        group = shown.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{shown.command_path} has no commands", shown)
        _, inner, _ = group.resolve_command(shown, [name])
        shown = click.Context(cast("click.Command", inner), parent=shown, info_name=name)
    say(shown.get_help())
