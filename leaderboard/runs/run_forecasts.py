"""The forecast of the costs of runs, for `--plan`."""

from collections.abc import Mapping, Sequence

from leaderboard.runs.carried_answers import (
    describe_carry_over,
    list_evals_to_ask,
    list_refusals,
    make_carry_over_row,
    make_history,
)
from leaderboard.runs.cost_forecast import format_cost_line
from leaderboard.terminal.exit_codes import DONE
from leaderboard.terminal.streams import say, say_json
from records.suites.experiments import DEFAULT, is_of_a_trial
from records.text.numbers import format_count, format_dollars
from runner.models.costs.prices import find_rates
from runner.models.registry import find_routing_warning
from runner.runs.forecast import Forecast, costs_nothing, forecast_costs
from runner.runs.history import History, read_histories
from runner.runs.plan import RunScope, SelectedRun, select_runs
from runner.runs.settings import RunSettings
from runner.suite.mint import make_benchmark


def say_forecasts(settings: RunSettings, scope: RunScope, *, as_json: bool) -> int:
    """Print the expected costs of the requested runs; return the exit code.

    No model is asked, and no file is written.
    """
    version = make_benchmark(scope.destination.suite).version
    history_by_model = read_histories(scope.destination.data, version)
    runs = select_runs(settings, scope, version, with_keys=False)
    rows = [
        _build_forecast_row(selected_run, settings.samples, history_by_model)
        for selected_run in runs
    ]
    if as_json:
        say_json([row for row, _, _ in rows])
        return DONE
    for run, (_, line, _) in zip(runs, rows, strict=True):
        say(line)
        for refusal in list_refusals(run.carry_over) if run.carry_over else ():
            say(refusal)
    for warning in dict.fromkeys(find_routing_warning(selected_run.model) for selected_run in runs):
        if warning is not None:
            say(warning, err=True)
    forecasts = [run_forecast for _, _, run_forecast in rows if run_forecast is not None]
    if len(forecasts) > 1:
        say(_format_sum_line(forecasts))
    return DONE


def _format_sum_line(forecasts: Sequence[Forecast]) -> str:
    """Return a line with the total cost of several runs; unknown if any cost is unknown."""
    expected = [
        run_forecast.expected_usd
        for run_forecast in forecasts
        if run_forecast.expected_usd is not None
    ]
    most = [
        run_forecast.most_usd for run_forecast in forecasts if run_forecast.most_usd is not None
    ]
    whole = len(forecasts)
    about = (
        f"about {format_dollars(sum(expected))}" if len(expected) == whole else "an unknown amount"
    )
    bound = (
        f"at most {format_dollars(sum(most))}" if len(most) == whole else "without a known bound"
    )
    return f"Together {format_count(whole, 'run')}: {about}, {bound}"


def _build_forecast_row(
    run: SelectedRun, samples: int, history_by_model: Mapping[tuple[str, str], History]
) -> tuple[Mapping[str, object], str, Forecast | None]:
    """Return the cost of a run as JSON and as a line, and its forecast.

    The forecast is None if the run costs nothing.
    """
    slug = run.model if isinstance(run.model, str) else run.model.slug
    attempts = len(run.evals) * samples
    carry_over = run.carry_over
    row = {"model": slug, "experiment": run.experiment.name, "attempts": attempts}
    row |= make_carry_over_row(carry_over, attempts)
    line = f"{slug} {run.experiment.name}: {format_count(attempts, 'attempt')}"
    line += f", {describe_carry_over(carry_over)}" if carry_over else ""
    free = {"expected_usd": 0.0, "most_usd": 0.0, "price_known": True}
    if isinstance(run.model, str):
        return row | free, f"{line}, which cost nothing but time", None
    if carry_over is not None and not carry_over.asked:
        return row | free, f"{line}: no key is needed, and nothing is paid", None
    if costs_nothing(run.model):
        return row | free, f"{line}; a local server costs nothing but time", None
    # An edition lacks only a part of the whole text, so its answers cost about as much.
    name = DEFAULT if is_of_a_trial(run.experiment.name) else run.experiment.name
    history = history_by_model.get((slug, name))
    evals, asked_samples = run.evals, samples
    if carry_over is not None:
        evals, asked_samples = list_evals_to_ask(carry_over, run.evals), 1
        history = history or make_history(carry_over)
    run_forecast = forecast_costs(
        run.model, evals, asked_samples, run.experiment.guidelines, history
    )
    priced = find_rates(run.model) is not None
    costs = {
        "expected_usd": run_forecast.expected_usd,
        "most_usd": run_forecast.most_usd,
        "price_known": priced,
    }
    unpriced = "" if priced else "; no price known"
    return row | costs, f"{line}, {format_cost_line([run_forecast])}{unpriced}", run_forecast
