"""`leaderboard suite mutate`: graders are tested with references that have a small fault."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from leaderboard.options import (
    backend_option,
    category_option,
    evals_option,
    filter_option,
    format_examples,
    graders_option,
    json_option,
    sandbox_option,
    workspaces_option,
)
from leaderboard.terminal.exit_codes import CHECK_FAILED, DONE
from leaderboard.terminal.streams import say, say_result
from records.text.numbers import format_count
from runner.evals.discovery import discover
from runner.runs.launch import open_grading
from runner.runs.settings import GradingSettings
from runner.suite.mutate.mutant_grading import LIMIT, SEED, Fate, Trial, try_eval

_TARGET = 0.85


@click.command(
    "mutate",
    epilog=format_examples(
        "leaderboard suite mutate -f crons --all",
    ),
)
@filter_option
@category_option
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=LIMIT,
    show_default=True,
    help="Mutants of each eval, chosen by turns among the operators.",
)
@click.option("--all", "everything", is_flag=True, help="All mutants of each eval.")
@click.option("--seed", type=int, default=SEED, show_default=True, help="The seed of the choice.")
@backend_option
@sandbox_option
@graders_option
@workspaces_option
@evals_option
@json_option
def command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    pattern: str | None,
    categories: Sequence[str],
    limit: int,
    everything: bool,
    seed: int,
    evals_root: Path,
    as_json: bool,
    **grading_settings: Any,  # noqa: ANN401 - as GradingSettings says
) -> int:
    """Grade references with a small fault (mutants), and list those that pass: the survivors.

    A survivor needs a new test, or an explanation in calibration/survivors.toml. Ends with 1 if a
    survivor has no explanation, or an explanation has no survivor.
    """
    suite = discover(evals_root)
    evals = suite.select(pattern, categories)
    settings = GradingSettings(**grading_settings)
    with open_grading(settings, suite) as grading:
        trials: list[Trial] = []
        for evaluation in evals:
            trial = try_eval(
                evaluation,
                grading,
                most=None if everything else limit,
                seed=seed,
                workers=settings.graders,
            )
            trials.append(trial)
            if not as_json:
                _say(trial)
    say_result([_build_row(trial) for trial in trials], [_format_sum(trials)], as_json=as_json)
    return DONE if all(map(_is_settled, trials)) else CHECK_FAILED


def _is_settled(trial: Trial) -> bool:
    open_count = trial.count(Fate.SURVIVED) + trial.count(Fate.UNJUDGED)
    return not open_count and not trial.stale and not trial.needless


def _say(trial: Trial) -> None:
    counts = ", ".join(f"{trial.count(fate)} {fate}" for fate in Fate if trial.count(fate))
    say(f"{_format_score(trial.score)} {trial.evaluation}: {counts} (of {trial.of} mutants)")
    for tried_mutant in trial.tried:
        if tried_mutant.fate in {Fate.SURVIVED, Fate.UNJUDGED}:
            say(f"      {tried_mutant.fate}: {tried_mutant.mutant}")
    for explanation in trial.needless:
        say(f"      survivors.toml: is killed now: {explanation}")
    for explanation in trial.stale:
        say(f"      survivors.toml: there is no such mutant: {explanation}")


def _format_sum(trials: Sequence[Trial]) -> str:
    killed = sum(trial.count(Fate.KILLED) for trial in trials)
    changing = sum(trial.changing for trial in trials)
    score = killed / changing if changing else None
    return (
        f"{_format_score(score)} {format_count(len(trials), 'eval')}: "
        f"{killed} of {changing} mutants killed ({_TARGET:.0%} wanted)"
    )


def _format_score(score: float | None) -> str:
    return "   - " if score is None else f"{score:4.0%} "


def _build_row(trial: Trial) -> dict[str, object]:
    return {
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
