"""`leaderboard suite lint`: faults of tasks and graders, found without grading."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from leaderboard.options import (
    category_option,
    evals_option,
    filter_option,
    format_examples,
    json_option,
)
from leaderboard.suites.minted_version import find_unminted
from leaderboard.terminal.exit_codes import CHECK_FAILED, DONE
from leaderboard.terminal.streams import say, say_result
from records.guidelines.sections import (
    get_tokens_file,
    read_guidelines_tokens,
    write_guidelines_tokens,
)
from records.text.numbers import format_count
from runner.evals import canary
from runner.evals.discovery import Suite, discover
from runner.suite.lint import lint


@click.command(
    "lint",
    epilog=format_examples(
        "leaderboard suite lint",
        "leaderboard suite lint -f crons",
    ),
)
@filter_option
@category_option
@click.option("--fix", is_flag=True, help="Add the canary, and count the guidelines again.")
@evals_option
@json_option
def command(
    *,
    pattern: str | None,
    categories: Sequence[str],
    fix: bool,
    evals_root: Path,
    as_json: bool,
) -> int:
    """Find faults of tasks and graders; print for each a line with eval, file, rule and remedy.

    Ends with 1 if there is a fault. If the suite is not minted, this is printed on standard error,
    but is not a fault.
    """
    suite = discover(evals_root)
    evals = suite.select(pattern, categories)
    if fix:
        if line := suite.kind.get_canary_line():
            for path in (path for each in evals for path in canary.mark(each.folder, line)):
                say(f"canary added to {path}", err=True)
        _count_guidelines(suite)
        suite = discover(evals_root)
        evals = suite.select(pattern, categories)
    findings = lint(suite, evals)
    counts = f"{format_count(len(evals), 'eval')}: {format_count(len(findings), 'fault')}"
    rows = [asdict(finding) for finding in findings]
    say_result(rows, [*findings, counts], as_json=as_json)
    if unminted := find_unminted(suite):
        say(f"not-minted: {unminted}", err=True)
    return CHECK_FAILED if findings else DONE


def _count_guidelines(suite: Suite) -> None:
    """Count the tokens of the guidelines again, if the stored counts are about another text."""
    written = read_guidelines_tokens(suite.root)
    if written is None:
        return
    # Imported here, because the tokenizer is only needed to count.
    from runner.suite.guidelines_texts import measure_guidelines, record_tokens  # noqa: PLC0415

    tokens = record_tokens(suite, measure_guidelines(suite))
    if tokens != written:
        write_guidelines_tokens(suite.root, tokens)
        say(f"guidelines counted in {get_tokens_file(suite.root)}", err=True)
