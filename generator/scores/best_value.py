"""The model that passes the most evals for a dollar, if the intervals prove it."""

from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from generator.scores.intervals import Interval

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


class PricedScore(NamedTuple):
    """A model's score with its interval, and its cost."""

    slug: str
    score: float
    """The score, from 0 to 1."""
    interval: Interval
    cost_usd: float
    """US dollars per attempt."""

    @property
    def per_pass(self) -> float:
        """US dollars for each eval passed."""
        return self.cost_usd / self.score


class BestValue(NamedTuple):
    """The model with the most passes for a dollar, and the second-best model."""

    first: PricedScore
    next: PricedScore


def find_best_value(models: Sequence[PricedScore]) -> BestValue | None:
    """Return the model that passes the most evals for a dollar; None if this is not proven.

    Models that pass fewer than half of the evals are left out. It is proven if the cost of a pass
    at the low end of the first model's interval is less than the cost at the high end of every
    other model's interval. It is never proven for a single model, or if a model is free. The first
    model is always on the frontier of cost and score, because a cheaper and better model would
    pass more for a dollar.
    """
    good = sorted(
        (model for model in models if model.score >= LEAST_SCORE), key=lambda model: model.per_pass
    )
    if len(good) < 2 or good[0].cost_usd == 0:  # noqa: PLR2004 - one is not the best of any
        return None
    first, *worse = good
    dearest = first.cost_usd / first.interval.low if first.interval.low > 0 else float("inf")
    if any(dearest >= other.cost_usd / other.interval.high for other in worse):
        return None
    return BestValue(first, worse[0])
