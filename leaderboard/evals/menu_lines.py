"""The lines of the menu about models and evals: prices, missing API keys, results so far."""

import os
from collections import Counter
from collections.abc import Sequence

from records.shapes.attempt import Attempt, Outcome
from records.shapes.registry import ModelEntry
from records.text.numbers import format_count, format_dollars
from records.text.visible import make_one_line
from runner.models.costs.prices import MILLION, Rates
from runner.runs.forecast import compute_costs_by_eval
from runner.runs.history import History

_UNRUN = "not run"


def format_model_line(entry: ModelEntry, rates: Rates | None) -> str:
    """Return a line with the prices of a registered model; it also names a missing API key."""
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


def format_eval_line(name: str, histories: Sequence[History | None]) -> str:
    """Return a line with the results of the chosen models at an eval, and the cost of an answer."""
    states = Counter(
        _choose_state(history.attempts.get(name, ()) if history else ()) for history in histories
    )
    costs = [cost for history in histories for cost in compute_costs_by_eval(history).get(name, ())]
    if len(histories) == 1:
        results = next(iter(states))
    else:
        results = ", ".join(f"{count} {state}" for state, count in states.most_common())
    price = f" · {format_dollars(sum(costs) / len(costs))} an answer" if costs else ""
    return f"{name} · {results}{price}"


def format_failure_line(name: str, history: History) -> str:
    """Return a line with the reason why an eval did not pass."""
    attempts = history.attempts[name]
    failure = next(attempt for attempt in attempts if attempt.outcome is not Outcome.PASSED)
    why = failure.fault.evidence if failure.fault else failure.reason
    return f"{name} · {failure.outcome.value}{f': {make_one_line(why, 100)}' if why else ''}"


def format_history_line(history: History) -> str:
    """Return a line with the number of evals that did not pass, and the date of the last run."""
    run = history.latest
    count = len(history.list_failed_evals())
    evals = format_count(count, "eval")
    return f"{run.model.slug} {run.experiment.name} · {evals} did not pass · last run {run.date}"


def _choose_state(attempts: Sequence[Attempt]) -> str:
    if not attempts:
        return _UNRUN
    outcomes = {attempt.outcome for attempt in attempts}
    for worst in (Outcome.FAILED, Outcome.INFRASTRUCTURE):
        if worst in outcomes:
            return worst.value
    return Outcome.PASSED.value
