"""`leaderboard suite`: write, prove and mint the suite."""

from typing import Final

import click

from leaderboard.lazy_group import LazyGroup
from leaderboard.options import examples

COMMANDS: Final = {
    "new": "Make the folder of a new eval.",
    "from-session": "Begin an eval from a golden session.",
    "import": "Give a TypeScript suite that is kept elsewhere a version and pages.",
    "lint": "Find faults of tasks and graders, without grading.",
    "check": "Prove that graders judge every answer rightly that evals know.",
    "grade": "Grade one answer, and show all that grading tells.",
    "show": "Show right and wrong variants as diffs of the reference.",
    "mutate": "See whether graders notice when the reference is a little wrong.",
    "guidelines": "Show how large the guidelines are, and what needs them.",
    "mint": "Give the suite a version to publish under.",
}
"""Each subcommand with its line of help; the module of the same name holds it."""


@click.group(
    "suite",
    cls=LazyGroup,
    package=__name__,
    table=COMMANDS,
    epilog=examples("leaderboard suite lint -f crons", "leaderboard suite check --once -f crons"),
)
def command() -> None:
    """Write evals, prove that their graders judge rightly, and give the suite a version."""
