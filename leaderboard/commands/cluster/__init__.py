"""`leaderboard cluster`: grading on several machines."""

from typing import Final

import click

from leaderboard.lazy_group import LazyGroup
from leaderboard.options import format_examples

COMMANDS: Final = {
    "certificates": "Make the file that lets machines trust one another.",
}
"""Each subcommand with its line of help; the module of the same name holds it."""


@click.group(
    "cluster",
    cls=LazyGroup,
    package=__name__,
    table=COMMANDS,
    epilog=format_examples("leaderboard cluster certificates cluster.yaml"),
)
def command() -> None:
    """Prepare machines that grade for `--cluster`; docs/cluster.md has all steps."""
