"""`leaderboard suite check`: the proof that graders judge rightly."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from leaderboard.options import (
    category_option,
    evals_option,
    filter_option,
    format_examples,
    grading_options,
    json_option,
)
from leaderboard.suites.changed_evals import find_changed_evals
from leaderboard.terminal.exit_codes import CHECK_FAILED, DONE, INFRASTRUCTURE
from leaderboard.terminal.next_steps import build_suite_option, say_next
from leaderboard.terminal.shell_commands import format_command_line
from leaderboard.terminal.streams import say, say_result
from records.text.numbers import format_count
from runner.evals.discovery import Eval, discover
from runner.runs.launch import open_graders
from runner.runs.settings import GradingSettings
from runner.suite.check import Proof, check_graders
from runner.suite.lint import list_orphan_sections


@click.command(
    "check",
    epilog=format_examples(
        "leaderboard suite check --once -c 002-queries",
        "leaderboard suite check --shuffle 7",
    ),
)
@filter_option
@category_option
@click.option("--once", is_flag=True, help="Grade each answer once instead of twice.")
@click.option("--shuffle", "seed", type=int, help="Grade in a random order with this seed.")
@click.option("--since", metavar="REV", help="Only evals that changed since this git revision.")
@grading_options
@evals_option
@json_option
def command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    pattern: str | None,
    categories: Sequence[str],
    once: bool,
    seed: int | None,
    since: str | None,
    evals_root: Path,
    as_json: bool,
    **grading_settings: Any,  # noqa: ANN401 - as GradingSettings says
) -> int:
    """Grade all known answers: the reference, baselines, right and wrong variants.

    Ends with 1 if a verdict is wrong, and with 3 if infrastructure prevented a verdict.
    """
    suite = discover(evals_root)
    # Sections that no eval exercises are known only if the whole suite is checked.
    unused = [] if pattern or categories or since else list_orphan_sections(suite)
    if unused:
        say(f"guidelines.md: no eval exercises {', '.join(unused)}", err=True)
    evals = suite.select(pattern, categories)
    if since is not None:
        changed = find_changed_evals(suite, since)
        evals = tuple(candidate for candidate in evals if candidate.name in changed)
        if not evals:
            say_result([], [f"no eval changed since {since}"], as_json=as_json)
            return DONE
    limits = {evaluation.name: evaluation.config.limits.tests_s for evaluation in evals}
    settings = GradingSettings(**grading_settings)
    with open_graders(settings, suite, partial(say, err=True)) as graders:
        proofs = check_graders(
            evals,
            graders,
            times=1 if once else 2,
            seed=seed,
            on_proof=None if as_json else partial(_say, limits),
        )
    rows = [_build_row(limits, proof) for proof in proofs]
    say_result(rows, [_format_summary(len(evals), proofs)], as_json=as_json)
    if all(proof.holds for proof in proofs):
        if not (as_json or unused or not suite.kind.has_convex_answers):
            changed_since = () if since is None else evals
            say_next([_format_mutate_command(pattern, categories, changed_since, evals_root)])
        return CHECK_FAILED if unused else DONE
    return INFRASTRUCTURE if any(proof.is_infrastructure for proof in proofs) else CHECK_FAILED


def _format_mutate_command(
    pattern: str | None, categories: Sequence[str], since: Sequence[Eval], evals_root: Path
) -> str:
    """Return the command that tests the graders of the same evals with mutants.

    ``since`` has the evals that changed since a revision; it is empty without a revision.
    """
    matching = "|".join(evaluation.name for evaluation in since) or pattern
    chosen = [] if matching is None else ["-f", matching]
    if not since:
        chosen += [word for category in categories for word in ("-c", category)]
    return format_command_line("suite", "mutate", *chosen, *build_suite_option(evals_root))


def _format_summary(evals: int, proofs: Sequence[Proof]) -> str:
    """Return the numbers of right and wrong verdicts, and of answers that were left out."""
    right = sum(proof.holds for proof in proofs)
    left_out = sum(proof.is_left_out for proof in proofs)
    wrong = len(proofs) - right - left_out
    counts = f"{format_count(evals, 'eval')}: {format_count(right, 'verdict')} right, {wrong} wrong"
    if not left_out:
        return counts
    answers = format_count(left_out, "answer")
    return f"{counts}; {answers} left out, since the reference of their eval does not pass"


def _say(limits: Mapping[str, float], proof: Proof, number: str) -> None:
    if proof.is_left_out:
        return
    line = f"[{number}] {'ok   ' if proof.holds else 'WRONG'} {proof.evaluation} {proof.name}"
    if proof.name == "reference" and proof.tests_s is not None:
        line += f", tests {proof.tests_s:.1f} s of {limits[proof.evaluation]:g} s"
    say(line)
    for problem in proof.problems:
        say(f"      {problem}")
    if proof.problems and proof.name.startswith(("pass/", "fail/")):
        say(f"      its diff: leaderboard suite show {proof.evaluation} {proof.name}")


def _build_row(limits: Mapping[str, float], proof: Proof) -> dict[str, object]:
    return {
        "eval": proof.evaluation,
        "answer": proof.name,
        "holds": proof.holds,
        "left_out": proof.is_left_out,
        "problems": list(proof.problems),
        "tests_s": proof.tests_s,
        "tests_limit_s": limits[proof.evaluation],
    }
