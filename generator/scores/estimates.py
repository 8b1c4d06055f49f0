"""A score with what it rests on, and means of amounts that are not always known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from generator.scores.intervals import Floats, Interval, mean_interval

FEW_EVALS: Final = 10
"""With fewer evals than this a cell shows its count before its percentage."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean pass rate over evals."""

    value: float
    """Mean over evals of the mean over attempts of pass, 0 to 1."""
    interval: Interval
    """At 95%, of the mean over the population of evals."""
    evals: int
    """Evals it is the mean over."""
    attempts: int
    """Attempts it rests on."""

    @property
    def passed(self) -> float:
        """Evals passed: whole where there is one attempt each, else a sum of pass rates."""
        return self.value * self.evals

    @property
    def counts_first(self) -> bool:
        """Whether there are too few evals for a percentage to stand alone."""
        return self.evals < FEW_EVALS


@dataclass(frozen=True, slots=True)
class Known:
    """The mean of an amount over the runs for which it is known."""

    mean: float | None
    """None where it is known for no run."""
    n: int
    """Runs it is known for."""
    of: int
    """Runs asked."""


@dataclass(frozen=True, slots=True)
class PartialCredit:
    """The mean share of tests passed, beside the score and never instead."""

    value: float
    """Mean over evals of the mean share, 0 to 1."""
    evals: int
    """Evals for which it is known."""


def estimate(means: Floats, attempts: Floats) -> Estimate | None:
    """Estimate a score from each eval's pass rate and number of attempts.

    Evals without an attempt are left out; None where that leaves none.
    """
    tried = attempts > 0
    if not tried.any():
        return None
    means, attempts = means[tried], attempts[tried]
    return Estimate(
        value=float(means.mean()),
        interval=mean_interval(means, attempts),
        evals=int(means.size),
        attempts=int(attempts.sum()),
    )


def mean_known(values: Iterable[float | None]) -> Known:
    """Return the mean of what is known, with how much that is."""
    asked = list(values)
    known = [value for value in asked if value is not None]
    mean = sum(known) / len(known) if known else None
    return Known(mean, len(known), len(asked))


def partial_credit(shares: Sequence[Floats]) -> PartialCredit | None:
    """Return the mean share of tests passed over runs, one array by eval each, NaN for unknown.

    None where it is known for no eval.
    """
    table = np.array(shares)
    known = ~np.isnan(table)
    counts = known.sum(axis=0)
    met = counts > 0
    if not met.any():
        return None
    by_eval = np.where(known, table, 0.0).sum(axis=0)[met] / counts[met]
    return PartialCredit(float(by_eval.mean()), int(met.sum()))
