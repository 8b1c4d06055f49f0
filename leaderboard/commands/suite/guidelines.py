"""`leaderboard suite guidelines`: the size of the guidelines, and the evals that need them."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from leaderboard.options import evals_option, format_examples, json_option
from leaderboard.terminal.exit_codes import CHECK_FAILED, DONE
from leaderboard.terminal.streams import say, say_json
from records.guidelines.section_tokens import (
    get_tokens_file,
    read_guidelines_tokens,
    write_guidelines_tokens,
)
from records.text.numbers import format_count
from runner.evals.discovery import discover
from runner.models.tokens import ENCODING
from runner.suite.guidelines_size import LARGEST, GuidelinesSize, measure_guidelines, record_tokens


@click.command(
    "guidelines",
    epilog=format_examples(
        "leaderboard suite guidelines",
        "leaderboard suite guidelines --write",
    ),
)
@evals_option
@json_option
@click.option("--write", is_flag=True, help="Write the tokens beside the text, for the site.")
def command(*, evals_root: Path, as_json: bool, write: bool) -> int:
    """Show the size of each section of the guidelines, and the evals that exercise it.

    Ends with 1 if no eval exercises a section, the text is too long, or the file of token counts
    beside it, which the site shows, is about another text.
    """
    suite = discover(evals_root)
    size = measure_guidelines(suite)
    now = record_tokens(suite, size)
    if write:
        write_guidelines_tokens(suite.root, now)
    written = read_guidelines_tokens(suite.root)
    problems = size.problems
    if written is not None and written != now:
        name = get_tokens_file(suite.root).name
        problems.append(f"{name} counts another text: leaderboard suite guidelines --write")
    if as_json:
        say_json({**asdict(size), "problems": problems})
    else:
        _say(size, problems)
    return CHECK_FAILED if problems else DONE


def _say(size: GuidelinesSize, problems: Sequence[str]) -> None:
    for section in size.sections:
        say(f"{section.tokens:6}  {section.slug}: {format_count(len(section.evals), 'eval')}")
        for name in section.evals:
            say(f"          {name}")
    say(f"{size.tokens:6}  tokens ({ENCODING}) in all, of {LARGEST} allowed")
    for problem in problems:
        say(f"guidelines.md: {problem}")
