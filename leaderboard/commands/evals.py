"""The commands `leaderboard evals` and `leaderboard models`: what can be asked, and who.

`evals` lists the evals of the suite and their results; without a subcommand, it is a menu. `models`
lists the models that can be asked by name, and the plan of a night.
"""

import os
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import click

from leaderboard import night, options
from leaderboard.project import build_data_option, build_suite_option
from leaderboard.runs.run_summary import build_attempt_row, suggest_resume
from leaderboard.terminal.streams import ExitCode, is_json, say, say_json, say_result
from records.files.data_folder import DataFolder
from records.reader import read_models
from records.shapes.attempt import FaultClass, Outcome
from records.shapes.carry_over_days import DEFAULT_DAYS
from records.shapes.run import Executed
from records.suites.experiments import DEFAULT
from records.text.numbers import format_count
from runner.evals.discovery import discover
from runner.models.api_keys import load_keys
from runner.models.baselines import BASELINES
from runner.models.registry import is_named
from runner.runs.history import History, read_histories
from runner.runs.progress.watcher import describe_faults, format_attempts, format_run_title
from runner.suite.mint import make_benchmark


def build_history_rows(
    history: History, chosen: Collection[str], *, failed: bool
) -> list[dict[str, object]]:
    """Return as JSON the attempts at the chosen evals; if ``failed``, only those not passed."""
    run = history.latest
    return [
        {"model": run.model.slug, "experiment": run.experiment.name} | build_attempt_row(attempt)
        for name, eval_attempts in history.attempts.items()
        if name in chosen
        for attempt in eval_attempts
        if not (failed and attempt.outcome is Outcome.PASSED)
    ]


def say_status(
    shown: Sequence[History],
    chosen: Collection[str],
    folder_options: Sequence[str],
    *,
    failed: bool,
) -> None:
    """Print each history with its attempts at the chosen evals, and the sum of all.

    If the latest run of a history has attempts left, the command that resumes the run follows.
    """
    unfinished: list[int] = []
    for history in shown:
        run = history.latest
        say(f"{format_run_title(run)}: {_describe_counts([history], chosen)}")
        for row in build_history_rows(history, chosen, failed=failed):
            name = f"{row['eval']}#{row['sample']}" if run.samples > 1 else row["eval"]
            why = f"  {row['reason']}" if row["reason"] else ""
            say(f"  {row['outcome']:<14}  {name}{why}")
        # A resume makes or grades attempts of runs that were made here.
        if remaining := run.unjudged if isinstance(run.provenance, Executed) else 0:
            unfinished.append(remaining)
            left = format_attempts(remaining)
            say(f"  run {run.short_id} has {left} left; unless it is going now, go on with:")
            say(suggest_resume(run, folder_options))
        say()
    models = format_count(len({history.latest.model.slug for history in shown}), "model")
    names = {history.latest.experiment.name for history in shown}
    counts = _describe_counts(shown, chosen) or "nothing judged"
    tail = ""
    if unfinished:
        runs = format_count(len(unfinished), "run")
        tail = f"; {format_attempts(sum(unfinished))} left in {runs}"
    say(f"In all, {models} under {format_count(len(names), 'experiment')}: {counts}{tail}")


def _describe_counts(histories: Iterable[History], chosen: Collection[str]) -> str:
    """Return the outcomes at the chosen evals, and the number of evals without attempts.

    "0 of 0 passed" is left out, as it looks like a verdict.
    """
    outcomes, faults, untried = Counter[Outcome](), Counter[FaultClass](), 0
    for history in histories:
        untried += len(set(chosen) - history.attempts.keys())
        for name in chosen:
            for attempt in history.attempts.get(name, ()):
                outcomes[attempt.outcome] += 1
                if attempt.fault is not None:
                    faults[attempt.fault.kind] += 1
    passed = outcomes[Outcome.PASSED]
    judged = passed + outcomes[Outcome.FAILED]
    parts = (
        f"{passed} of {judged} passed" if judged else "",
        f"{faults.total()} without a verdict ({describe_faults(faults)})" if faults else "",
        f"{format_count(untried, 'eval')} not run yet" if untried else "",
    )
    return ", ".join(part for part in parts if part)


def choose_histories(
    histories: Iterable[History], models: Sequence[str], experiment: str | None
) -> list[History]:
    """Return the histories of ``models`` under ``experiment``, those with local runs first.

    Without ``models``, all histories are returned except those of published baselines.
    """
    chosen = [
        history
        for history in histories
        if experiment in {None, history.latest.experiment.name}
        and (
            is_named(history.latest.model, models)
            if models
            else (history.is_local or history.latest.model.kind != "baseline")
        )
    ]
    return sorted(chosen, key=lambda history: not history.is_local)


@options.command(
    "leaderboard evals                      # the menu",
    "leaderboard evals list -f crons",
    "leaderboard evals status --failed",
    "leaderboard evals status -m anthropic/claude-opus-5.5 -e no_guidelines -f crons",
    "leaderboard evals status -m oracle,stub    # baselines that came with the project",
)
@click.argument("view", type=click.Choice(["list", "status"]), required=False)
@options.model_option(help="Only these: slugs, baselines or litellm ids; repeatable, or a,b.")
@options.eval_options
@click.option("-e", "--experiment", help="Only runs under this experiment.")
@click.option("--failed", is_flag=True, help="Only attempts that did not pass.")
@options.evals_option
@options.data_if_needed_option
@options.json_option
@click.pass_context
def evals_command(  # noqa: PLR0913 - one parameter per option of the command
    context: click.Context,
    *,
    view: str | None,
    models: Sequence[str],
    pattern: str | None,
    categories: Sequence[str],
    levels: Sequence[str],
    experiment: str | None,
    failed: bool,
    evals_root: Path,
    data: DataFolder,
) -> int:
    """List the evals, or show their state; without a word, show a menu for runs.

    "list", which --json stands for, prints the name and the title of each eval.

    "status" shows the latest verdict of each model on each eval of today's suite. All runs of a
    model under an experiment count together: runs of the whole suite, runs of some evals, and
    stopped runs. Models with local runs come first. Published baselines are only shown if -m names
    them. The last line is the sum of all.
    """
    if view != "status" and (models or experiment or failed):
        raise click.UsageError("-m, -e and --failed are of `leaderboard evals status`")
    if view is None and is_json():
        view = "list"
    if view is None and (pattern or categories or levels):
        words = "-f, -c and --level are of `evals list` and `evals status`: name one"
        raise click.UsageError(words)
    suite = discover(evals_root)
    chosen = suite.select(pattern, categories, levels)
    if view == "list":
        rows = [
            {
                "eval": evaluation.name,
                "title": evaluation.config.title,
                "concept": evaluation.config.concept,
                "guidelines": list(evaluation.config.guidelines),
                "level": evaluation.config.level,
                "held_out": evaluation.config.held_out,
            }
            for evaluation in chosen
        ]
        lines = (f"{evaluation.name:<48} {evaluation.config.title}" for evaluation in chosen)
        say_result(rows, lines)
        return ExitCode.DONE
    options.FOLDER.convert(data.root, None, context)
    folders = [*build_suite_option(evals_root), *build_data_option(data)]
    if view is None:
        if not sys.stdin.isatty():
            raise click.UsageError("the menu needs a terminal; use `evals list` or `evals status`")
        # The prompt library takes half a second to import, and only the menu needs it.
        from leaderboard.commands.running import run_command  # noqa: PLC0415
        from leaderboard.runs.menu import Menu  # noqa: PLC0415

        load_keys()
        arguments = Menu(suite, data, folders).choose()
        if arguments is None:
            return ExitCode.DONE
        return run_command.main(arguments, standalone_mode=False)
    history_by_model = read_histories(data, make_benchmark(suite).version)
    chosen_histories = choose_histories(history_by_model.values(), models, experiment)
    names = frozenset(evaluation.name for evaluation in chosen)
    if is_json():
        rows = (build_history_rows(each, names, failed=failed) for each in chosen_histories)
        say_json([*chain.from_iterable(rows)])
    elif not chosen_histories:
        noun = "selected run" if history_by_model else "run"
        say(f"No {noun} of today's suite yet; `leaderboard demo` makes some without a key.")
    else:
        say_status(chosen_histories, names, folders, failed=failed)
    return ExitCode.DONE


@options.command(
    "leaderboard models",
    "leaderboard models --due",
    "leaderboard models --due --carry-over --budget 50 --night-budget 200 --json",
)
@click.option("--due", is_flag=True, help="The runs that are due, in their order.")
@options.model_option(help="With --due: these models, due or not; repeatable.")
@click.option("--budget", type=options.Dollars(), help="With --due: most dollars for each run.")
@click.option(
    "--night-budget", type=options.Dollars(), help="With --due: most dollars for all runs together."
)
@options.carry_over_option(
    help="With --due: plan runs with `run --publish --carry-over`, which take over answers that "
    f"are at most this old ({DEFAULT_DAYS} days by default).",
)
@options.json_option
@options.evals_option
@options.data_option
def models_command(  # noqa: PLR0913 - as many as there are options
    *,
    due: bool,
    models: tuple[str, ...],
    budget: float | None,
    night_budget: float | None,
    carry_over_days: int | None,
    evals_root: Path,
    data: DataFolder,
) -> None:
    """List models.toml and local/models.toml: models, whether their keys are set, last runs.

    With --due it prints a plan of runs, with and without guidelines. A model is due if it has no
    run of the whole of today's suite, or if its latest such run is older than its interval. The
    interval is one day for each six days since the model's release, from 1 to 60 days, and at
    least 1 day (for a run that costs $5) to 14 days ($50). A run that carried answers over counts
    like a run that asked for all. A run without all its verdicts goes on: at once if it was
    stopped, and after 1, 2, 4 and 8 days if infrastructure failed; after 14 days a new run begins.
    Models with `scheduled = false` or without their key are not asked. If the limits of money do
    not allow a run, it waits for the next night; runs that have waited longest come first.
    """
    if not due and (models or (budget, night_budget, carry_over_days) != (None, None, None)):
        raise click.UsageError("--model, --budget, --night-budget and --carry-over belong to --due")
    load_keys()
    today = datetime.now(UTC).date()
    suite = discover(evals_root)
    if due:
        limits = night.MoneyLimits(budget, night_budget)
        runs = night.find_due_runs(
            suite, data, today, limits, named=models, carry_over_days=carry_over_days
        )
        planned = night.plan_night(runs, limits)
        lines = [*map(night.make_line, planned), night.make_sum_line(planned)]
        say_result([*map(night.make_row, planned)], lines)
        return
    names = [evaluation.name for evaluation in suite.evals]
    history_by_model = read_histories(data, make_benchmark(suite).version)
    rows: list[dict[str, object]] = []
    lines: list[str] = []
    for entry in read_models(data).models:
        history = history_by_model.get((entry.slug, DEFAULT))
        planned = night.schedule(entry, history.runs if history else (), names, today)
        last_run = planned.last and planned.last.isoformat()
        has_key = entry.api_key_env is None or bool(os.environ.get(entry.api_key_env))
        rows.append(
            {
                "slug": entry.slug,
                "name": entry.name,
                "provider": entry.provider,
                "litellm_id": entry.litellm_id,
                "scheduled": entry.scheduled,
                "released": entry.released and entry.released.isoformat(),
                "key_variable": entry.api_key_env,
                "key_set": has_key,
                "last_run": last_run,
                "next_due": planned.next and planned.next.isoformat(),
            }
        )
        key = "" if has_key else f"  needs {entry.api_key_env}"
        lines.append(f"{entry.slug:<44} {last_run or 'never run':<12}{key}")
    lines.append("\nBaselines, which need no key:")
    lines += (f"{slug:<44} {name}" for slug, name in BASELINES.items())
    lines.append(
        "\nOthers are asked by their litellm id, or at a server of your own: leaderboard run --help"
    )
    say_result(rows, lines)
