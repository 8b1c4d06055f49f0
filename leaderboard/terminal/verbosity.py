"""The options of the whole program for the amount of output: `-q` and `-v`."""

import click

from leaderboard.terminal.streams import say


def is_quiet() -> bool:
    """Return whether `-q` was given before the command."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().params.get("quiet"))


def say_starting(*, as_json: bool = False) -> None:
    """Print that the command has begun, because its imports take seconds; nothing with `-q`."""
    if not is_quiet():
        say("Starting …", err=as_json)
