"""`leaderboard suite`: commands for authors of evals."""

from typing import Final

from leaderboard.command_groups import LazyGroup
from leaderboard.options import format_examples

COMMANDS: Final = {
    "new": "Make the folder of a new eval about Convex, also from a golden session.",
    "import": "Give a TypeScript suite in another folder a version and pages.",
    "lint": "Find faults of tasks and graders, without grading.",
    "check": "Prove that graders judge all known answers rightly.",
    "grade": "Grade one answer, and show all details of the grading.",
    "show": "Show variants of an eval as diffs, or the size of the guidelines.",
    "mutate": "Find out whether graders notice small faults in the reference.",
    "mint": "Define the suite's version, so that runs can be published.",
}
"""Each subcommand with its line of help; its code is in the module of the same name."""


command = LazyGroup(
    __name__,
    COMMANDS,
    help="Write evals, prove that their graders judge rightly, and give the suite a version.",
    epilog=format_examples(
        "leaderboard suite lint -f crons", "leaderboard suite check --once -f crons"
    ),
)
