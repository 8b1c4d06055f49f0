"""Cohen's kappa of two judges, with an interval.

J. Cohen (1960), A Coefficient of Agreement for Nominal Scales. The interval has the middle 95% of
the posterior of kappa. The cells of the table are multinomial; their shares have a Dirichlet prior
in which all cells together weigh as much as one observation (W. Perks 1947, Some Observations on
Inverse Probability). The seed is fixed, so the same table always gives the same interval. In
simulations with 10 to 200 observations, the interval contained the true kappa in 88% to 98% of the
cases. The percentile bootstrap and the interval of Fleiss, Cohen and Everitt (1969) did so in only
23% if judges agree on nearly everything, because for a table without disagreement their width is 0.
The simulation is in `tests/generator/scores/test_kappa.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from generator.scores.intervals import Floats, Interval

DRAWS: Final = 4000


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance."""

    value: float
    """1 for full agreement, 0 for agreement by chance, negative for less than by chance."""
    interval: Interval
    """The 95% interval of kappa."""


def compute_cohens_kappa(table: Sequence[Sequence[int]]) -> Kappa | None:
    """Return kappa of a square table of counts, whose rows and columns are the judges' categories.

    None if kappa is not defined: without observations, and if both judges put all observations
    into the same category.
    """
    counts = np.array(table, np.float64)
    if not counts.sum():
        return None
    value = float(_compute_kappas(counts / counts.sum()))
    if np.isnan(value):
        return None
    chance = np.random.default_rng(int(counts.sum()))
    shares = chance.dirichlet((counts + 1 / counts.size).ravel(), size=DRAWS)
    drawn = _compute_kappas(shares.reshape(DRAWS, *counts.shape))
    low, high = np.percentile(drawn[~np.isnan(drawn)], [2.5, 97.5])
    return Kappa(value, Interval(min(float(low), value), max(float(high), value)))


def _compute_kappas(shares: Floats) -> Floats:
    """Return kappa of tables of shares in the last two axes; nan if it is not defined."""
    observed = np.trace(shares, axis1=-2, axis2=-1)
    expected = (shares.sum(axis=-1) * shares.sum(axis=-2)).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)
