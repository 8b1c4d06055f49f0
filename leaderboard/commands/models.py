"""`leaderboard models`: the models that can be asked by name, and the plan of a night."""

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from leaderboard import night, options
from leaderboard.terminal.streams import is_json, say, say_json, say_result
from records.files.data_folder import DataFolder
from records.reader import read_models
from records.shapes.carry_over_days import DEFAULT_DAYS
from records.suites.experiments import DEFAULT
from runner.evals.discovery import discover
from runner.models.api_keys import load_keys
from runner.models.baselines import BASELINES
from runner.runs.history import read_histories
from runner.suite.mint import make_benchmark


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
    schedules: list[night.Schedule] = []
    for entry in read_models(data).models:
        history = history_by_model.get((entry.slug, DEFAULT))
        schedules.append(night.schedule(entry, history.runs if history else (), names, today))
    if is_json():
        say_json([_build_model_row(model_schedule) for model_schedule in schedules])
        return
    for model_schedule in schedules:
        facts = _build_model_row(model_schedule)
        key = "" if facts["key_set"] else f"  needs {model_schedule.entry.api_key_env}"
        say(f"{model_schedule.entry.slug:<44} {facts['last_run'] or 'never run':<12}{key}")
    say("\nBaselines, which need no key:")
    for slug, name in BASELINES.items():
        say(f"{slug:<44} {name}")
    say(
        "\nOthers are asked by their litellm id, or at a server of your own: leaderboard run --help"
    )


def _build_model_row(model_schedule: night.Schedule) -> dict[str, object]:
    entry = model_schedule.entry
    return {
        "slug": entry.slug,
        "name": entry.name,
        "provider": entry.provider,
        "litellm_id": entry.litellm_id,
        "scheduled": entry.scheduled,
        "released": entry.released.isoformat() if entry.released else None,
        "key_variable": entry.api_key_env,
        "key_set": entry.api_key_env is None or bool(os.environ.get(entry.api_key_env)),
        "last_run": model_schedule.last.isoformat() if model_schedule.last else None,
        "next_due": model_schedule.next.isoformat() if model_schedule.next else None,
    }
