"""The model that passes the most evals for a dollar, if the intervals prove it."""

from collections.abc import Iterable
from math import inf
from operator import itemgetter

from generator.scores.score_table import ScoredRow

Offer = tuple[float, float]
"""The cost of a model in US dollars per attempt, and its score; more is better on any scale."""


def select_frontier(offers: Iterable[Offer]) -> set[Offer]:
    """Return the offers on the frontier (Pareto 1906).

    An offer is on it if no other offer is at least as cheap and as good, and better in one of
    both.
    """
    frontier: set[Offer] = set()
    best = -inf
    for cost, score in sorted(offers, key=lambda offer: (offer[0], -offer[1])):
        if score > best:
            frontier.add((cost, score))
            best = score
    return frontier


LEAST_SCORE = 0.5
"""A model with a lower score is not called good value."""


def find_best_value(models: Iterable[ScoredRow]) -> tuple[ScoredRow, ScoredRow] | None:
    """Return the model that passes the most evals for a dollar, and the next; None if not proven.

    Models that pass fewer than half of the evals are left out. It is proven if the cost of a pass
    at the low end of the first model's interval is less than the cost at the high end of every
    other model's interval. It is never proven for a single model, or if a model is free. The first
    model is always on the frontier of cost and score, because a cheaper and better model would
    pass more for a dollar.
    """
    good = sorted(
        (
            (cost, row.cost_usd.mean or 0.0, row)
            for row in models
            if row.score.value >= LEAST_SCORE and (cost := row.cost_per_pass) is not None
        ),
        key=itemgetter(0),
    )
    if len(good) < 2 or good[0][0] == 0:  # noqa: PLR2004 - one is not the best of any
        return None
    (_, cost, first), *worse = good
    low = first.score.interval.low
    dearest = cost / low if low > 0 else inf
    if any(dearest >= cost / other.score.interval.high for _, cost, other in worse):
        return None
    return first, worse[0][2]
