"""`leaderboard guidelines`: whether a change of the guidelines helps."""

from typing import Final

import click

from leaderboard.lazy_group import LazyGroup
from leaderboard.options import examples

COMMANDS: Final = {
    "check": "Run the evals that a change is about, with the text before and after.",
}
"""Each subcommand with its line of help; the module of the same name holds it."""


@click.group(
    "guidelines",
    cls=LazyGroup,
    package=__name__,
    table=COMMANDS,
    epilog=examples("leaderboard guidelines check --before HEAD -m openai/gpt-6-luna"),
)
def command() -> None:
    """Say whether a change of the guidelines helps; `suite guidelines` says how long they are."""
