"""`leaderboard keys`: the keys of the API."""

from typing import Final

from leaderboard.command_groups import LazyGroup
from leaderboard.options import format_examples

COMMANDS: Final = {
    "create": "Make a key; it is shown once.",
    "list": "List the keys, or revoke one.",
}
"""Each subcommand with its line of help; its code is in the module of the same name."""


command = LazyGroup(
    __name__,
    COMMANDS,
    help="Keys of the API of `leaderboard serve`; its page /api/docs describes the API.",
    epilog=format_examples("leaderboard keys create laptop --days 90", "leaderboard keys list"),
)
