"""All commands of the program, as click knows them."""

from collections.abc import Iterator

import click

from leaderboard.cli import root


def list_commands() -> Iterator[tuple[str, click.Command]]:
    """Yield the words that a user types for every command, and the command."""
    waiting: list[tuple[str, click.Command]] = [("leaderboard", root)]
    while waiting:
        name, command = waiting.pop()
        yield name, command
        if isinstance(command, click.Group):
            context = click.Context(command)
            for each in command.list_commands(context):
                inner = command.get_command(context, each)
                assert inner is not None
                waiting.append((f"{name} {each}", inner))
