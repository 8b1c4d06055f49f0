"""The amount of output, by the options `-q` and `-v` of the whole program."""

import click

from leaderboard.terminal.streams import say


def is_quiet() -> bool:
    """Return whether `-q` was given before the command."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.find_root().params.get("quiet"))


def say_starting(*, as_json: bool = False) -> None:
    """Print that the command has begun, because its imports take seconds; not with `-q`."""
    if not is_quiet():
        say("Starting …", err=as_json)
