"""`leaderboard session`: recorded conversations and the judgements of people."""

from typing import Final

from leaderboard.command_groups import LazyGroup
from leaderboard.options import format_examples

COMMANDS: Final = {
    "from-run": "Make a session of each attempt of a run.",
    "import": "Read sessions that other programs recorded.",
    "list": "List sessions.",
    "show": "Show a session with its labels.",
    "label": "Judge sessions, mark them eval-ready, or take a label back.",
    "audit": "Choose attempts for people to judge blind: how often are graders wrong?",
    "compare": "Ask models the prompts of golden sessions, and score their answers.",
    "judge": "Ask models for the status of sessions; labels are not changed.",
    "opinions": "Show the agreement of judge models with people, or how models compare.",
    "tag": "Add tags to sessions, or remove them.",
    "publish": "Write redacted copies of sessions to data/sessions, or remove them.",
    "delete": "Delete sessions with their labels.",
    "version": "Store the sessions and labels of a dataset under a name.",
}
"""Each subcommand with its line of help; its code is in the module of the same name."""


command = LazyGroup(
    __name__,
    COMMANDS,
    help="Sessions: recorded conversations, labelled by people and exported as datasets.",
    epilog=format_examples(
        "leaderboard session list --data docs/demo",
        "leaderboard session list --status needs_review",
        "leaderboard session label 4p2bzjf5m6ur --status golden --ready",
    ),
)
