"""`leaderboard session version`: named versions of datasets, which are never changed."""

from typing import Final

from leaderboard.command_groups import LazyGroup
from leaderboard.options import format_examples

COMMANDS: Final = {
    "create": "Store the sessions and labels of a dataset under a name.",
    "list": "List the versions, or the sessions of one, and which have changed since.",
}
"""Each subcommand with its line of help; its code is in the module of the same name."""


command = LazyGroup(
    __name__,
    COMMANDS,
    help="Versions of datasets, which give the same labels at each export, despite later "
    "judgements.",
    epilog=format_examples(
        "leaderboard session version create regression-1 --status golden",
        "leaderboard session version list",
    ),
)
