"""`leaderboard suite guidelines`: how large the guidelines are, and what needs them."""

from dataclasses import asdict
from pathlib import Path

import click

from leaderboard.exits import CHECK_FAILED, DONE
from leaderboard.options import evals_option, examples, json_option
from leaderboard.streams import say, say_json
from runner.evals.discovery import discover
from runner.models.tokens import ENCODING
from runner.suite.guidelines_size import LARGEST, GuidelinesSize, measure


@click.command(
    "guidelines",
    epilog=examples(
        "leaderboard suite guidelines",
    ),
)
@evals_option
@json_option
def command(*, evals_root: Path, as_json: bool) -> int:
    """Show the size of each section of the guidelines, and which evals exercise it.

    Ends with 1 when no eval exercises a section, or the text is too long.
    """
    size = measure(discover(evals_root))
    if as_json:
        say_json({**asdict(size), "problems": size.problems})
    else:
        _say(size)
    return CHECK_FAILED if size.problems else DONE


def _say(size: GuidelinesSize) -> None:
    for section in size.sections:
        say(f"{section.tokens:6}  {section.slug}: {len(section.evals)} evals")
        for name in section.evals:
            say(f"          {name}")
    say(f"{size.tokens:6}  tokens ({ENCODING}) in all, of {LARGEST} allowed")
    for problem in size.problems:
        say(f"guidelines.md: {problem}")
