"""The model that passes the most evals for a dollar, where the numbers bear it out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from generator.scores.intervals import Interval

LEAST_SCORE: Final = 0.5
"""Share of the evals that a model passes at least to be called good value."""


@dataclass(frozen=True, slots=True)
class PricedScore:
    """A model's score with its interval, and its cost."""

    slug: str
    score: float
    """0 to 1."""
    interval: Interval
    cost_usd: float
    """US dollars per attempt."""

    @property
    def per_pass(self) -> float:
        """US dollars for each eval passed."""
        return self.cost_usd / self.score


@dataclass(frozen=True, slots=True)
class BestValue:
    """The model with the most passes for a dollar, and the next."""

    first: PricedScore
    next: PricedScore


def find_best_value(models: Sequence[PricedScore]) -> BestValue | None:
    """Return the model that passes the most evals for a dollar; None where that is not shown.

    Models that pass fewer than half of the evals are left out. The first is on the frontier of cost
    and score, since a model that is cheaper and better passes more for a dollar. It counts as shown
    where its dearest possible pass, at the low end of its interval, costs less than the cheapest
    possible pass of each other model. Nothing is shown of one model alone, or where one is free.
    """
    good = sorted(
        (model for model in models if model.score >= LEAST_SCORE), key=lambda one: one.per_pass
    )
    if len(good) < 2 or good[0].cost_usd == 0:  # noqa: PLR2004 - one is not the best of any
        return None
    first, *worse = good
    dearest = first.cost_usd / first.interval.low if first.interval.low > 0 else float("inf")
    if any(dearest >= other.cost_usd / other.interval.high for other in worse):
        return None
    return BestValue(first, worse[0])
