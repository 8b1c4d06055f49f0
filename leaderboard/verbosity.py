"""The options of the whole program that say how much it prints: `-q` and `-v`."""

import click

from leaderboard.streams import say


def is_quiet() -> bool:
    """Tell whether `-q` was given before the command."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().params.get("quiet"))


def say_starting(*, as_json: bool = False) -> None:
    """Say that the command has begun, for its imports take seconds; nothing with `-q`."""
    if not is_quiet():
        say("Starting …", err=as_json)
