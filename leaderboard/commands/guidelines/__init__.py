"""`leaderboard guidelines`: the effect of a change of the guidelines."""

from typing import Final

from leaderboard.lazy_group import LazyGroup
from leaderboard.options import format_examples

COMMANDS: Final = {
    "check": "Run the evals that a change concerns, with the text before and after.",
}
"""Each subcommand with its line of help; its code is in the module of the same name."""


command = LazyGroup(
    __name__,
    COMMANDS,
    help="Find out whether a change of the guidelines helps; `suite guidelines` shows their size.",
    epilog=format_examples("leaderboard guidelines check --before HEAD -m openai/gpt-6-luna"),
)
