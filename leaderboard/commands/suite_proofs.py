"""The commands `leaderboard suite check` and `mutate`: do graders judge rightly?"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from leaderboard import options
from leaderboard.git import find_changed_evals
from leaderboard.project import build_suite_option
from leaderboard.terminal.shell_commands import format_command_line, say_next
from leaderboard.terminal.streams import ExitCode, is_json, say, say_result
from records.text.numbers import format_count
from runner.evals.discovery import discover
from runner.grading.answer_steps import GradingSettings
from runner.runs.launch import open_graders, open_grading
from runner.suite.check import Proof, check_graders
from runner.suite.lint import list_orphan_sections
from runner.suite.mutate.mutant_grading import LIMIT, SEED, Fate, Trial, try_eval


@options.command(
    "leaderboard suite check --once -c 002-queries",
    "leaderboard suite check --shuffle 7",
)
@options.eval_options
@click.option("--once", is_flag=True, help="Grade each answer once instead of twice.")
@click.option(
    "--shuffle", "seed", type=int, default=1, show_default=True, help="The seed of the order."
)
@options.since_option
@options.grading_options
@options.evals_option
@options.json_option
def check_command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    pattern: str | None,
    categories: Sequence[str],
    levels: Sequence[str],
    once: bool,
    seed: int,
    since: str | None,
    evals_root: Path,
    **grading_settings: Any,  # noqa: ANN401 - as GradingSettings says
) -> int:
    """Grade all known answers: the reference, baselines, right and wrong variants.

    Ends with 1 if a verdict is wrong, and with 3 if infrastructure prevented a verdict.
    """
    suite = discover(evals_root)
    # Sections that no eval exercises are known only if the whole suite is checked.
    unused = [] if pattern or categories or levels or since else list_orphan_sections(suite)
    if unused:
        say(f"guidelines.md: no eval exercises {', '.join(unused)}", err=True)
    evals = suite.select(pattern, categories, levels)
    if since is not None:
        changed = find_changed_evals(suite, since)
        evals = tuple(candidate for candidate in evals if candidate.name in changed)
        if not evals:
            say_result([], [f"no eval changed since {since}"])
            return ExitCode.DONE
    limits = {evaluation.name: evaluation.config.limits.tests_s for evaluation in evals}
    settings = GradingSettings(**grading_settings)

    def say_proof(proof: Proof, number: str) -> None:
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

    with open_graders(settings, suite, partial(say, err=True)) as graders:
        proofs = check_graders(
            evals,
            graders,
            times=1 if once else 2,
            seed=seed,
            on_proof=None if is_json() else say_proof,
        )
    rows = [
        {
            "eval": proof.evaluation,
            "answer": proof.name,
            "holds": proof.holds,
            "left_out": proof.is_left_out,
            "problems": list(proof.problems),
            "tests_s": proof.tests_s,
            "tests_limit_s": limits[proof.evaluation],
        }
        for proof in proofs
    ]
    say_result(rows, [_format_summary(len(evals), proofs)])
    if all(proof.holds for proof in proofs):
        if not (unused or not suite.kind.has_convex_answers):
            # The command that tests the graders of the same evals with mutants.
            changed_since = () if since is None else evals
            matching = "|".join(evaluation.name for evaluation in changed_since) or pattern
            chosen = [] if matching is None else ["-f", matching]
            if not changed_since:
                chosen += [word for category in categories for word in ("-c", category)]
                chosen += [word for level in levels for word in ("--level", level)]
            of_suite = build_suite_option(evals_root)
            say_next([format_command_line("suite", "mutate", *chosen, *of_suite)])
        return ExitCode.CHECK_FAILED if unused else ExitCode.DONE
    return (
        ExitCode.INFRASTRUCTURE
        if any(proof.is_infrastructure for proof in proofs)
        else ExitCode.CHECK_FAILED
    )


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


_TARGET = 0.85


@options.command(
    "leaderboard suite mutate -f crons --all",
)
@options.eval_options
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=LIMIT,
    show_default=True,
    help="Mutants of each eval, chosen by turns among the operators.",
)
@click.option("--all", "everything", is_flag=True, help="All mutants of each eval.")
@click.option("--seed", type=int, default=SEED, show_default=True, help="The seed of the choice.")
@options.local_grading_options
@options.evals_option
@options.json_option
def mutate_command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    pattern: str | None,
    categories: Sequence[str],
    levels: Sequence[str],
    limit: int,
    everything: bool,
    seed: int,
    evals_root: Path,
    **grading_settings: Any,  # noqa: ANN401 - as GradingSettings says
) -> int:
    """Grade references with a small fault (mutants), and list those that pass: the survivors.

    A survivor needs a new test, or an explanation in calibration/survivors.toml. Ends with 1 if a
    survivor has no explanation, or an explanation has no survivor.
    """
    suite = discover(evals_root)
    evals = suite.select(pattern, categories, levels)
    with open_grading(GradingSettings(**grading_settings), suite) as grading:
        trials: list[Trial] = []
        for evaluation in evals:
            most = None if everything else limit
            trial = try_eval(evaluation, grading, most=most, seed=seed)
            trials.append(trial)
            if not is_json():
                counts = ", ".join(
                    f"{trial.count(fate)} {fate}" for fate in Fate if trial.count(fate)
                )
                scored = _format_score(trial.score)
                say(f"{scored} {trial.evaluation}: {counts} (of {trial.of} mutants)")
                for tried_mutant in trial.tried:
                    if tried_mutant.fate in {Fate.SURVIVED, Fate.UNJUDGED}:
                        say(f"      {tried_mutant.fate}: {tried_mutant.mutant}")
                for explanation in trial.needless:
                    say(f"      survivors.toml: is killed now: {explanation}")
                for explanation in trial.stale:
                    say(f"      survivors.toml: there is no such mutant: {explanation}")
    killed = sum(trial.count(Fate.KILLED) for trial in trials)
    changing = sum(trial.changing for trial in trials)
    score = killed / changing if changing else None
    evals_count = format_count(len(trials), "eval")
    counts = f"{killed} of {changing} mutants killed"
    say_result(
        [
            {
                "eval": trial.evaluation,
                "mutants": trial.of,
                "score": trial.score,
                "tried": [
                    {
                        "operator": tried_mutant.mutant.operator,
                        "file": tried_mutant.mutant.path,
                        "function": tried_mutant.mutant.function,
                        "line": tried_mutant.mutant.line,
                        "text": tried_mutant.mutant.before,
                        "change": tried_mutant.mutant.change,
                        "fate": tried_mutant.fate,
                        "step": tried_mutant.step,
                    }
                    for tried_mutant in trial.tried
                ],
                "stale": [str(explanation) for explanation in trial.stale],
                "needless": [str(explanation) for explanation in trial.needless],
            }
            for trial in trials
        ],
        [f"{_format_score(score)} {evals_count}: {counts} ({_TARGET:.0%} wanted)"],
    )
    open_count = sum(trial.count(Fate.SURVIVED) + trial.count(Fate.UNJUDGED) for trial in trials)
    is_settled = not open_count and not any(trial.stale or trial.needless for trial in trials)
    return ExitCode.DONE if is_settled else ExitCode.CHECK_FAILED


def _format_score(score: float | None) -> str:
    return "   - " if score is None else f"{score:4.0%} "
