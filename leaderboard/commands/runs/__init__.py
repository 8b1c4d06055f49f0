"""`leaderboard runs`: the runs that there are, published and local."""

from typing import Final

import click

from leaderboard.lazy_group import LazyGroup
from leaderboard.options import examples

COMMANDS: Final = {
    "list": "List runs, newest first: model, state, cost, where they are.",
    "show": "Show a run: facts, failures with reasons, and what can be done next.",
}
"""Each subcommand with its line of help; the module of the same name holds it."""


@click.group(
    "runs",
    cls=LazyGroup,
    package=__name__,
    table=COMMANDS,
    epilog=examples("leaderboard runs list --where local", "leaderboard runs show 4p2bzjf"),
)
def command() -> None:
    """Look at runs: published ones, local ones, and those that are going or were interrupted."""
