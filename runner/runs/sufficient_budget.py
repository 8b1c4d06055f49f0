"""The budget that pays for the rest of a run: the value of --budget when the run is resumed."""

import math
from collections.abc import Iterator, Sequence

from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Run
from runner.answers.prompt import render_prompt
from runner.models.costs.prices import bound_output, estimate_upper_usd, find_rates
from runner.runs.plan import RunPlan
from runner.runs.unfinished import count_spent


def compute_sufficient_budget(
    plans: Sequence[RunPlan],
    runs: Sequence[Run],
    budget_usd: float | None,
    spent_usd: float = 0.0,
) -> float | None:
    """Return the budget that is enough for the rest of ``runs``, in dollars and whole cents.

    Failed tries may cost more. None if there is no budget, a price is unknown, or the budget
    suffices already.

    Args:
        plans: the plans of the runs that have work left to do.
        runs: all runs that share the budget, as they ended.
        budget_usd: the budget; None if there is none.
        spent_usd: the dollars spent by those of ``runs`` that have no plan. It counts if it is
            more than the sum of their attempts.
    """
    if budget_usd is None:
        return None
    recorded = {run.run_id: run for run in runs}
    bounds = [most for plan in plans for most in _estimate_unasked(plan, recorded[plan.run.run_id])]
    known_bounds = [most for most in bounds if most is not None]
    planned = {plan.run.run_id for plan in plans}
    going = [attempt for run in runs if run.run_id in planned for attempt in run.attempts]
    over = [attempt for run in runs if run.run_id not in planned for attempt in run.attempts]
    spent = math.fsum(map(count_spent, going)) + max(spent_usd, math.fsum(map(count_spent, over)))
    if not bounds or len(known_bounds) < len(bounds) or spent + max(known_bounds) <= budget_usd:
        return None
    return math.ceil(round((spent + math.fsum(known_bounds)) * 100, 6)) / 100


def _estimate_unasked(plan: RunPlan, run: Run) -> Iterator[float | None]:
    """Yield the most dollars that each attempt which has to be asked may cost; None if unknown."""
    if plan.entry is None:
        return
    entry = bound_output(plan.entry)
    rates = find_rates(entry)
    for attempt in run.attempts:
        if _has_to_be_asked(attempt):
            messages = render_prompt(plan.evals[attempt.eval], plan.guidelines)
            yield estimate_upper_usd(entry, rates, messages)


def _has_to_be_asked(attempt: Attempt) -> bool:
    """Return whether a resume sends a request for an attempt, and does not only grade its reply."""
    if attempt.outcome is Outcome.NOT_RUN:
        return attempt.generation is None
    return attempt.outcome is Outcome.INFRASTRUCTURE and attempt.steps is None
