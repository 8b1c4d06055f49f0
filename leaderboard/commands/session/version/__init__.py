"""`leaderboard session version`: named versions of datasets, which are never changed."""

from typing import Final

import click

from leaderboard.lazy_group import LazyGroup
from leaderboard.options import examples

COMMANDS: Final = {
    "create": "Keep which sessions a dataset has, with their labels, under a name.",
    "list": "List the versions.",
    "show": "Show the members of a version, and which of them changed since.",
}
"""Each subcommand with its line of help; the module of the same name holds it."""


@click.group(
    "version",
    cls=LazyGroup,
    package=__name__,
    table=COMMANDS,
    epilog=examples(
        "leaderboard session version create regression-1 --status golden",
        "leaderboard session version list",
    ),
)
def command() -> None:
    """Versions of datasets: the same labels at each export, whatever is judged meanwhile."""
