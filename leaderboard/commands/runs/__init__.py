"""`leaderboard runs`: published and local runs."""

from typing import Final

from leaderboard.lazy_group import LazyGroup
from leaderboard.options import format_examples

COMMANDS: Final = {
    "list": "List runs, newest first: model, state, cost, local or published.",
    "show": "Show a run: facts, failures with reasons, and the next commands.",
}
"""Each subcommand with its line of help; its code is in the module of the same name."""


command = LazyGroup(
    __name__,
    COMMANDS,
    help="Look at runs: published, local, going and interrupted runs.",
    epilog=format_examples("leaderboard runs list --where local", "leaderboard runs show 4p2bzjf"),
)
