"""`leaderboard suite lint`: faults of tasks and graders that can be told without grading."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from leaderboard.exits import CHECK_FAILED, DONE
from leaderboard.options import category_option, evals_option, filter_option, json_option
from runner import canary
from runner.suite import discover
from runner.suite_lint import Finding, lint


@click.command("lint")
@filter_option
@category_option
@click.option("--fix", is_flag=True, help="Add the canary where it is missing.")
@evals_option
@json_option
def command(
    *, pattern: str | None, categories: Sequence[str], fix: bool, evals_root: Path, as_json: bool
) -> int:
    """Find faults of tasks and graders, a line each: eval, place, rule, what to do.

    Nothing is graded: see `suite check` and `suite mutate`. Ends with 1 when there is a fault.
    """
    suite = discover(evals_root)
    evals = suite.select(pattern, categories)
    if fix:
        for path in (path for evaluation in evals for path in canary.mark(evaluation.folder)):
            click.echo(f"canary added to {path}", err=True)
        suite = discover(evals_root)
        evals = suite.select(pattern, categories)
    findings = lint(suite, evals)
    _say(findings, len(evals), as_json=as_json)
    return CHECK_FAILED if findings else DONE


def _say(findings: Sequence[Finding], evals: int, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
        return
    for finding in findings:
        click.echo(finding)
    click.echo(f"{evals} evals: {len(findings)} faults")
