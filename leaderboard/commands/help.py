"""`leaderboard help`: the output of `--help` of a command."""

from typing import cast

import click

from leaderboard.options import format_examples
from leaderboard.terminal.streams import say


@click.command(
    "help",
    epilog=format_examples("leaderboard help", "leaderboard help suite lint"),
)
@click.argument("command", nargs=-1)
@click.pass_context
def command(context: click.Context, *, command: tuple[str, ...]) -> None:
    """Show the help of COMMAND, else the list of commands."""
    current_context = context.find_root()
    for name in command:
        group = current_context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(
                f"{current_context.command_path} has no commands", current_context
            )
        _, inner, _ = group.resolve_command(current_context, [name])
        current_context = click.Context(
            cast("click.Command", inner), parent=current_context, info_name=name
        )
    say(current_context.get_help())
