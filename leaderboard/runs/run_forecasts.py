"""The forecast of the costs of runs, for `--plan`."""

from collections import Counter
from collections.abc import Mapping, Sequence

from leaderboard.terminal.exit_codes import DONE
from leaderboard.terminal.streams import say, say_json
from records.suites.experiments import DEFAULT, is_of_a_trial
from records.text.numbers import format_count, format_dollars
from runner.models.costs.prices import find_rates
from runner.models.registry import find_routing_warning
from runner.runs.carry_over import CarryOver
from runner.runs.forecast import Forecast, costs_nothing, forecast_costs
from runner.runs.history import History, read_histories
from runner.runs.plan import RunPlan, RunScope, draft_plans
from runner.runs.progress.watcher import format_run_title
from runner.runs.settings import RunSettings
from runner.suite.mint import make_benchmark


def say_forecasts(settings: RunSettings, scope: RunScope, *, as_json: bool) -> int:
    """Print the expected costs of the requested runs; return the exit code.

    No model is asked, and no file is written.
    """
    version = make_benchmark(scope.destination.suite).version
    history_by_model = read_histories(scope.destination.data, version)
    plans = draft_plans(settings, scope, version)
    rows = [_build_forecast_row(plan, history_by_model) for plan in plans]
    if as_json:
        say_json([row for row, _, _ in rows])
        return DONE
    for plan, (_, line, _) in zip(plans, rows, strict=True):
        say(line)
        if plan.carry_over is not None:
            for run_id, why in plan.carry_over.refused.items():
                say(f"  nothing is carried over from run {run_id[:8]}: it {why}")
    asked = [plan.entry for plan in plans if plan.entry is not None]
    for warning in dict.fromkeys(map(find_routing_warning, asked)):
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
    plan: RunPlan, history_by_model: Mapping[tuple[str, str], History]
) -> tuple[Mapping[str, object], str, Forecast | None]:
    """Return the cost of a run as JSON and as a line, and its forecast.

    The forecast is None if the run costs nothing.
    """
    run, entry, carry_over = plan.run, plan.entry, plan.carry_over
    attempts, evals = run.planned_attempts, list(plan.evals.values())
    row = {"model": run.model.slug, "experiment": run.experiment.name, "attempts": attempts}
    row |= make_carry_over_row(carry_over, attempts)
    line = f"{format_run_title(run)}: {format_count(attempts, 'attempt')}"
    line += f", {describe_carry_over(carry_over)}" if carry_over else ""
    free = {"expected_usd": 0.0, "most_usd": 0.0, "price_known": True}
    if run.model.kind == "baseline":
        return row | free, f"{line}, which cost nothing but time", None
    if entry is None:
        return row | free, f"{line}: no key is needed, and nothing is paid", None
    if costs_nothing(entry):
        return row | free, f"{line}; a local server costs nothing but time", None
    # An edition lacks only a part of the whole text, so its answers cost about as much.
    name = DEFAULT if is_of_a_trial(run.experiment.name) else run.experiment.name
    history = history_by_model.get((run.model.slug, name))
    samples = run.samples
    if carry_over is not None:
        # An eval with two questions comes twice.
        evals, samples = [plan.evals[question.eval] for question in carry_over.asked], 1
        if history is None and carry_over.sources:
            history = History(carry_over.sources[::-1], is_local=False)
    run_forecast = forecast_costs(entry, evals, samples, plan.guidelines, history)
    priced = find_rates(entry) is not None
    costs = {
        "expected_usd": run_forecast.expected_usd,
        "most_usd": run_forecast.most_usd,
        "price_known": priced,
    }
    unpriced = "" if priced else "; no price known"
    return row | costs, f"{line}, {format_cost_line([run_forecast])}{unpriced}", run_forecast


def format_cost_line(forecasts: Sequence[Forecast]) -> str:
    """Return the expected and the greatest cost of a run in words; unknown costs are left out."""
    unknown = sum(forecast.expected_usd is None for forecast in forecasts)
    expected = sum(forecast.expected_usd or 0 for forecast in forecasts)
    answers = sum(forecast.answers for forecast in forecasts)
    parts: list[str] = []
    if answers:
        left_out = (
            f", {unknown} of {format_count(len(forecasts), 'model')} without any left out"
            if unknown
            else ""
        )
        parts.append(
            f"about {format_dollars(expected)} by the cost of {answers} earlier answers{left_out}"
        )
    if any(forecast.most_usd is None for forecast in forecasts):
        parts.append("the greatest cost is not known: price or output limit is missing")
    else:
        most = sum(forecast.most_usd or 0 for forecast in forecasts)
        parts.append(
            f"at most {format_dollars(most)} if each answer uses the model's whole output limit"
        )
    return "; ".join(parts)


def make_carry_over_row(carry_over: CarryOver | None, attempts: int) -> dict[str, object]:
    """Return as JSON how many of ``attempts`` a run carries over, and how many it asks for."""
    if carry_over is None:
        return {"carried_over": {}, "asked": attempts}
    return {
        "carried_over": carry_over.count_by_run(),
        "asked": len(carry_over.asked),
        "asked_because": dict(Counter(carry_over.asked.values())),
        "refused": [{"run_id": run, "why": why} for run, why in carry_over.refused.items()],
    }


def describe_carry_over(carry_over: CarryOver) -> str:
    """Return the number of answers from each earlier run, and of those asked for, with reasons."""
    parts = [
        f"{number} carried over from run {run_id[:8]}"
        for run_id, number in carry_over.count_by_run().items()
    ]
    reasons = Counter(carry_over.asked.values())
    why = ", ".join(f"{number} {reason}" for reason, number in reasons.items())
    parts.append(f"{len(carry_over.asked)} asked{f' ({why})' if why else ''}")
    return ", ".join(parts)
