"""The expected and the highest cost of a run, and the budget that pays for the rest of it."""

import math
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from records.files.data_folder import DataFolder
from records.shapes.attempt import Generation
from records.shapes.registry import ModelEntry
from records.shapes.run import Run
from runner.answers.prompt import render_prompt
from runner.evals.discovery import Eval
from runner.models.api_keys import OWN_SERVERS
from runner.models.costs import (
    Rates,
    bound_output,
    compute_cost,
    estimate_upper_usd,
    find_rates,
)
from runner.runs.history import History, find_rest
from runner.runs.plan import RunPlan
from runner.runs.provenance import find_address, is_near


class Forecast(NamedTuple):
    """Dollars that attempts of one model may cost; a value is None if it is unknown."""

    expected_usd: float | None
    """The expected cost, from the model's earlier answers to the same eval, else to any eval of
    the suite: their tokens at today's prices, or their costs if price or tokens are unknown."""
    answers: int
    """The number of earlier answers with a known cost."""
    most_usd: float | None
    """The most that a budget sets aside for the answers: each uses the model's whole output limit,
    and each byte of a prompt is a token; without failed tries."""


def forecast_costs(
    entry: ModelEntry,
    evals: Sequence[Eval],
    samples: int,
    guidelines: str | None,
    history: History | None,
) -> Forecast:
    """Return the forecast of ``samples`` attempts at each of ``evals``.

    ``history`` has the model's earlier runs under the same experiment. The call imports litellm
    for its price map, which takes seconds.
    """
    costs = compute_costs_by_eval(history, find_rates(entry))
    everything = [cost for each in costs.values() for cost in each]
    expected = None
    if everything:
        mean = fmean(everything)
        expected = samples * sum(
            fmean(costs[each.name]) if each.name in costs else mean for each in evals
        )
    bounds = [estimate_upper_usd(entry, render_prompt(each, guidelines)) for each in evals]
    most = None if None in bounds else samples * math.fsum(bound or 0.0 for bound in bounds)
    return Forecast(expected, len(everything), most)


def costs_nothing(entry: ModelEntry) -> bool:
    """Return whether ``entry`` is asked on this machine or its network, and has no price."""
    rates = find_rates(entry)
    if rates is not None and any(rate.input or rate.output for rate in rates):
        return False
    address = find_address(entry)
    if address is None:
        return entry.litellm_provider in OWN_SERVERS
    return is_near(address)


def compute_costs_by_eval(
    history: History | None, rates: Rates | None = None
) -> dict[str, list[float]]:
    """Return the costs of earlier answers in dollars, by eval, without unknown costs.

    If ``rates`` are given and the tokens of an answer are known, its cost is computed from both.
    """
    costs_by_eval: dict[str, list[float]] = {}
    if history is None:
        return costs_by_eval
    for name, attempts in history.attempts.items():
        generations = [attempt.generation for attempt in attempts if attempt.generation is not None]
        costs = [compute_answer_cost(generation, rates) for generation in generations]
        known_costs = [cost for cost in costs if cost is not None]
        if known_costs:
            costs_by_eval[name] = known_costs
    return costs_by_eval


def compute_answer_cost(generation: Generation, rates: Rates | None) -> float | None:
    """Return the cost of an answer in dollars: its tokens at ``rates``, else its recorded cost.

    None if neither is known.
    """
    counted = compute_cost(rates, generation.tokens) if rates else None
    return generation.cost_usd if counted is None else counted


def compute_sufficient_budget(
    plans: Sequence[RunPlan],
    runs: Sequence[Run],
    folder: DataFolder,
    budget_usd: float | None,
    spent_usd: float = 0.0,
) -> float | None:
    """Return the budget that is enough for the rest of ``runs``, in dollars and whole cents.

    Failed tries may cost more. None if there is no budget, a price is unknown, or the budget
    suffices already.

    Args:
        plans: the plans of the runs that have work left to do.
        runs: all runs that share the budget, as they ended.
        folder: the data folder of their journals.
        budget_usd: the budget; None if there is none.
        spent_usd: the dollars spent by those of ``runs`` that have no plan. It counts if it is
            more than the sum of their attempts.
    """
    if budget_usd is None:
        return None
    recorded = {run.run_id: run for run in runs}
    bounds: list[float | None] = []
    for plan in plans:
        rest = find_rest(folder, recorded[plan.run.run_id])
        if plan.entry is not None and rest is not None:
            entry = bound_output(plan.entry)
            prompts = (render_prompt(plan.evals[name], plan.guidelines) for name in rest.questions)
            bounds += [estimate_upper_usd(entry, prompt) for prompt in prompts]
    known_bounds = [most for most in bounds if most is not None]
    going = [recorded.pop(plan.run.run_id) for plan in plans]
    over_usd = max(spent_usd, _sum_costs(recorded.values()))
    spent = _sum_costs(going) + over_usd
    if not bounds or len(known_bounds) < len(bounds) or spent + max(known_bounds) <= budget_usd:
        return None
    return math.ceil(round((spent + math.fsum(known_bounds)) * 100, 6)) / 100


def _sum_costs(runs: Iterable[Run]) -> float:
    return math.fsum(attempt.most_usd for run in runs for attempt in run.attempts)
