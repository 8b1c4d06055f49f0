"""Intervals at 95%: of a mean over evals, and of a paired difference between two such means.

The evals of a suite are taken as drawn from the population of tasks that could have been asked,
so the number of evals limits what can be known and repeated attempts do not replace them
(Miller 2024, "Adding Error Bars to Evals", arXiv:2411.00640). Scores near 0 and 1 are common and
suites are small, where the textbook mean +- 1.96 standard errors covers far less than 95%; hence
Wilson's interval for means, and Agresti and Min's for differences, each carried over to evals
with several attempts. The simulations in tests/generator/scores show how well they cover.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""An array of numbers."""

Z95: Final = NormalDist().inv_cdf(0.975)
"""How many standard errors to each side hold 95% of a normal distribution: 1.96."""

_ONE_EVAL: Final = 0.25
"""Weight of the belief that evals are all or nothing: the variance of one such eval at 50%."""

_PSEUDO_EVALS: Final = 2.0
"""How many evals Agresti and Min add before they look at a paired difference."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value lies, by a method that is right 95 times in 100."""

    low: float
    """Lower end."""
    high: float
    """Upper end."""

    @property
    def width(self) -> float:
        """From end to end; never 0."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """Many intervals at once: arrays of one shape."""

    low: Floats
    """Lower ends."""
    high: Floats
    """Upper ends."""

    def one(self) -> Interval:
        """Return the interval, where there is just one."""
        return Interval(float(self.low), float(self.high))


def wilson(share: Floats, n: Floats) -> Bounds:
    """Return Wilson's score intervals of shares of ``n`` (Wilson 1927); ``n`` may be fractional.

    The ends are the values p for which |share - p| = 1.96 sqrt(p (1 - p) / n).
    """
    z2 = Z95 * Z95
    centre = (share * n + z2 / 2) / (n + z2)
    half = Z95 / (n + z2) * np.sqrt(n * share * (1 - share) + z2 / 4)
    # At the ends they are 0 and 1 but for rounding.
    low = np.where(share <= 0, 0.0, np.maximum(0.0, centre - half))
    return Bounds(low, np.where(share >= 1, 1.0, np.minimum(1.0, centre + half)))


def spread_ratio(means: Floats, attempts: Floats) -> Floats:
    """Return how much of an eval's worth of doubt each eval carries: 1 down to 1/attempts.

    The ratio of the observed variance between evals to m (1 - m), the variance that a mean of m
    has if every eval is passed always or never. It is 1 where each eval has one attempt. Repeated
    attempts cannot bring it below 1/attempts, as if each were an eval of its own; and the weight
    of one all-or-nothing eval keeps it near 1 where hardly anything varies: many perfect evals
    prove little about a hard eval that was not drawn. It is the design effect of cluster samples
    divided by the attempts (Korn and Graubard 1998); weighing it down was chosen by simulation.
    """
    mean = means.mean(axis=-1)
    observed = ((means - mean[..., None]) ** 2).sum(axis=-1) + _ONE_EVAL
    most = means.shape[-1] * mean * (1 - mean) + _ONE_EVAL
    least = (1 / attempts).mean(axis=-1)
    return np.minimum(1.0, np.maximum(observed / most, least))


def mean_bounds(means: Floats, attempts: Floats) -> Bounds:
    """Return the interval of each mean along the last axis, over the population of evals.

    ``means`` holds the pass rate of each eval and ``attempts``, of the same shape, how many tries
    it is the mean of: at least one eval, at least one attempt each. It is Wilson's interval with
    n / ``spread_ratio`` in place of n: where each eval has one attempt, Wilson's itself.
    """
    effective = means.shape[-1] / spread_ratio(means, attempts)
    return wilson(means.mean(axis=-1), effective)


def mean_interval(means: Floats, attempts: Floats) -> Interval:
    """Return the interval of one mean of pass rates; see ``mean_bounds``."""
    return mean_bounds(means, attempts).one()


def interval_over_sessions(means: Sequence[float], values: Sequence[int]) -> tuple[float, float]:
    """Return the 95% interval of a mean over sessions, as over evals; see `mean_interval`.

    Args:
        means: the mean of the values of each session, 0 to 1.
        values: the number of values of each session.
    """
    interval = mean_interval(np.array(means, np.float64), np.array(values, np.float64))
    return interval.low, interval.high


def difference_bounds(differences: Floats) -> Bounds:
    """Return the interval of each mean along the last axis: per-eval differences, -1 to 1.

    With one attempt for each eval this is the adjusted interval of Agresti and Min (2005) for
    matched pairs: two evals are added, one on which both sides agree and one that goes half to
    each side, and mean +- 1.96 standard errors is taken of all. The same two are added for every
    number of attempts: they leave an interval about a difference of evals that
    all agree, which would else be +-0 for every number of evals.
    """
    centre, error = centre_and_error(differences)
    return Bounds(
        low=np.maximum(-1.0, centre - Z95 * error), high=np.minimum(1.0, centre + Z95 * error)
    )


def difference_interval(differences: Floats) -> Interval:
    """Return the interval of one mean of per-eval differences; see ``difference_bounds``."""
    return difference_bounds(differences).one()


def difference_p_values(differences: Floats) -> Floats:
    """Return for each interval of ``difference_bounds`` the level at which it would end at 0.

    It is below 0.05 exactly where the interval at 95% excludes 0.
    """
    centre, error = centre_and_error(differences)
    distances = (np.abs(centre) / error / math.sqrt(2)).ravel().tolist()
    return np.array([math.erfc(distance) for distance in distances]).reshape(np.shape(centre))


def centre_and_error(differences: Floats) -> tuple[Floats, Floats]:
    """Return the middle of each interval of ``difference_bounds`` and its standard error."""
    n = differences.shape[-1] + _PSEUDO_EVALS
    total = differences.sum(axis=-1)
    squares = (differences**2).sum(axis=-1)
    centre = total / n
    return centre, np.sqrt(squares + 1.0 - total * centre) / n
