"""The expected and the highest cost of a run, before any model is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from records.shapes.attempt import Generation
from records.shapes.registry import ModelEntry
from runner.answers.prompt import render_prompt
from runner.evals.discovery import Eval
from runner.models.costs.prices import Rates, cost, rates_of, upper_cost
from runner.models.registry import OWN_SERVERS
from runner.runs.history import History
from runner.runs.provenance import address_of, is_near


@dataclass(frozen=True, slots=True)
class Forecast:
    """Dollars that attempts of one model may cost; each None where it cannot be known."""

    expected_usd: float | None
    """By the tokens of the model's earlier answers at today's prices, or by their costs without a
    known price or tokens: answers to the same eval, else to any eval of the suite."""
    answers: int
    """Earlier answers of known cost."""
    most_usd: float | None
    """The cost if each answer used the model's whole output limit, and each byte of a prompt were a
    token; failed tries come on top."""


def forecast(
    entry: ModelEntry,
    evals: Sequence[Eval],
    samples: int,
    guidelines: str | None,
    history: History | None,
) -> Forecast:
    """Return the forecast of ``samples`` attempts at each of ``evals``.

    ``history`` is the model's history under the same experiment. Reads litellm's price map,
    whose import takes seconds.
    """
    rates = rates_of(entry)
    costs = costs_of(history, rates)
    everything = [cost for each in costs.values() for cost in each]
    expected = None
    if everything:
        mean = fmean(everything)
        expected = samples * sum(
            fmean(costs[each.name]) if each.name in costs else mean for each in evals
        )
    limit = entry.output_limit
    most = None
    if rates is not None and limit is not None:
        most = samples * sum(most_of(rates, limit, each, guidelines) for each in evals)
    return Forecast(expected, len(everything), most)


def costs_nothing(entry: ModelEntry) -> bool:
    """Return whether ``entry`` has a server on this machine or network, and no price."""
    rates = rates_of(entry)
    if rates is not None and any(rate.input or rate.output for rate in rates):
        return False
    address = address_of(entry)
    if address is None:
        return entry.litellm_id.partition("/")[0] in OWN_SERVERS
    return is_near(address)


def most_of(rates: Rates, limit: int, evaluation: Eval, guidelines: str | None) -> float:
    """Return the most dollars of a request whose reply has at most ``limit`` tokens."""
    prompt = sum(
        len(message["content"].encode()) for message in render_prompt(evaluation, guidelines)
    )
    return upper_cost(rates, prompt, limit)


def costs_of(history: History | None, rates: Rates | None = None) -> dict[str, list[float]]:
    """Return the costs of earlier answers in dollars, by eval; unknown costs are left out.

    With ``rates`` their tokens are priced by these rates.
    """
    costs_by_eval: dict[str, list[float]] = {}
    if history is None:
        return costs_by_eval
    for name, attempts in history.attempts.items():
        generations = [attempt.generation for attempt in attempts if attempt.generation is not None]
        costs = [cost_of_answer(generation, rates) for generation in generations]
        known_costs = [cost for cost in costs if cost is not None]
        if known_costs:
            costs_by_eval[name] = known_costs
    return costs_by_eval


def cost_of_answer(generation: Generation, rates: Rates | None) -> float | None:
    """Return the cost of an answer's tokens in dollars by ``rates``, else its recorded cost.

    None where neither is known.
    """
    counted = cost(rates, generation.tokens) if rates else None
    return generation.cost_usd if counted is None else counted
