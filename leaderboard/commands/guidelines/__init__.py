"""`leaderboard guidelines`: the effect of a change of the guidelines."""

from typing import Final

import click

from leaderboard.lazy_group import LazyGroup
from leaderboard.options import format_examples

COMMANDS: Final = {
    "check": "Run the evals that a change concerns, with the text before and after.",
}
"""Each subcommand with its line of help; its code is in the module of the same name."""


@click.group(
    "guidelines",
    cls=LazyGroup,
    package=__name__,
    table=COMMANDS,
    epilog=format_examples("leaderboard guidelines check --before HEAD -m openai/gpt-6-luna"),
)
def command() -> None:
    """Find out whether a change of the guidelines helps; `suite guidelines` shows their size."""
