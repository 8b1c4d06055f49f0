"""The lines of the menu for models and evals: price, API key, and results so far."""

import os
from collections import Counter
from collections.abc import Sequence

from records.attempt import Attempt, Outcome
from records.registry import ModelEntry
from records.showing import counted, one_line
from runner.models.costs.prices import MILLION, Rates
from runner.runs.forecast import Forecast, costs_of
from runner.runs.history import History

_UNRUN = "not run"


def model_line(entry: ModelEntry, rates: Rates | None) -> str:
    """Return a line with the prices of a registered model, and the missing API key, if any."""
    parts = [entry.slug]
    if rates is None:
        parts.append("no price known")
    else:
        base = rates[0]
        parts.append(
            f"${base.input * MILLION:g} in, ${base.output * MILLION:g} out per million tokens"
        )
    if entry.api_key_env is not None and not os.environ.get(entry.api_key_env):
        parts.append(f"needs {entry.api_key_env}")
    return " · ".join(parts)


def eval_line(name: str, histories: Sequence[History | None]) -> str:
    """Return a line with the results of the chosen models at an eval, and the cost of an answer."""
    states = Counter(_state(one.attempts.get(name, ()) if one else ()) for one in histories)
    costs = [cost for one in histories for cost in costs_of(one).get(name, ())]
    if len(histories) == 1:
        said = next(iter(states))
    else:
        said = ", ".join(f"{count} {state}" for state, count in states.most_common())
    price = f" · ${sum(costs) / len(costs):.4f} an answer" if costs else ""
    return f"{name} · {said}{price}"


def failure_line(name: str, history: History) -> str:
    """Return a line with the reason why an eval did not pass."""
    attempts = history.attempts[name]
    attempt = next(one for one in attempts if one.outcome is not Outcome.PASSED)
    why = attempt.fault.evidence if attempt.fault else attempt.reason
    return f"{name} · {attempt.outcome.value}{f': {one_line(why, 100)}' if why else ''}"


def history_line(history: History) -> str:
    """Return a line with the number of evals that did not pass, and the date of the last run."""
    run = history.latest
    count = len(history.failed())
    evals = counted(count, "eval")
    return f"{run.model.slug} {run.experiment.name} · {evals} did not pass · last run {run.date}"


def cost_line(forecasts: Sequence[Forecast]) -> str:
    """Return the expected and the greatest cost of a run, without guesses for unknown costs."""
    unknown = sum(one.expected_usd is None for one in forecasts)
    expected = sum(one.expected_usd or 0 for one in forecasts)
    answers = sum(one.answers for one in forecasts)
    parts: list[str] = []
    if answers:
        left_out = (
            f", {unknown} of {counted(len(forecasts), 'model')} without any left out"
            if unknown
            else ""
        )
        parts.append(f"about ${expected:.2f} by the cost of {answers} earlier answers{left_out}")
    if any(one.most_usd is None for one in forecasts):
        parts.append("the most it can cost is not known: price or output limit is missing")
    else:
        most = sum(one.most_usd or 0 for one in forecasts)
        parts.append(f"at most ${most:.2f} if each answer uses the model's whole output limit")
    return "; ".join(parts)


def _state(attempts: Sequence[Attempt]) -> str:
    if not attempts:
        return _UNRUN
    outcomes = {attempt.outcome for attempt in attempts}
    for worst in (Outcome.FAILED, Outcome.INFRASTRUCTURE):
        if worst in outcomes:
            return worst.value
    return Outcome.PASSED.value
