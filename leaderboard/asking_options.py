"""Options of the commands that ask models about sessions."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import click

from leaderboard.options import (
    Dollars,
    allow_changed_option,
    max_tokens_option,
    price_option,
    set_option,
)

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS: Final[Sequence[Callable[[Any], Any]]] = (
    click.option(
        "-m", "--ask", "models", multiple=True, help="A slug, or any litellm id; repeatable."
    ),
    click.option("--budget", type=Dollars(), help="Most dollars to spend on all of it."),
    click.option("--concurrency", type=click.IntRange(1, 1000), help="Most requests per provider."),
    click.option("--api-base", help="A server that speaks the OpenAI protocol."),
    max_tokens_option,
    set_option,
    price_option,
    allow_changed_option,
    click.option("--plan", is_flag=True, help="Only print the possible cost; nobody is asked."),
    click.option("--resume", metavar="ID", help="Go on: the id that was printed, or its start."),
)


def asking_options(command: Command) -> Command:
    """Add the options to a command, in their order."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
