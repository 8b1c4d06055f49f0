"""`leaderboard cluster`: grading on several machines."""

from typing import Final

from leaderboard.command_groups import LazyGroup
from leaderboard.options import format_examples

COMMANDS: Final = {
    "certificates": "Make the file that lets machines trust one another.",
}
"""Each subcommand with its line of help; the module of the same name holds it."""


command = LazyGroup(
    __name__,
    COMMANDS,
    help="Prepare machines that grade for `--cluster`; docs/cluster.md has all steps.",
    epilog=format_examples("leaderboard cluster certificates cluster.yaml"),
)
