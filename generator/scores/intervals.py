"""95% intervals: of a mean over evals, and of a paired difference between two such means.

The evals of a suite are taken as drawn from the population of all tasks that could be asked. So
the number of evals limits the precision, and repeated attempts do not replace evals (Miller 2024,
"Adding Error Bars to Evals", arXiv:2411.00640). Suites are small, and scores near 0 and 1 are
common; the textbook interval, mean +- 1.96 standard errors, then covers far less than 95%.
Therefore means have Wilson's interval and differences have Agresti and Min's, both extended to
evals with several attempts. The simulations in tests/generator/scores measure their coverage.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""An array of numbers."""

Z95 = NormalDist().inv_cdf(0.975)
"""The standard errors to each side that contain 95% of a normal distribution: 1.96."""

_ONE_EVAL = 0.25
"""The weight of the assumption that an eval is always passed or never: the variance of one such
eval at 50%."""

_PSEUDO_EVALS = 2.0
"""The number of evals that Agresti and Min add to a paired difference."""


class Interval(NamedTuple):
    """An interval that contains the true value, by a method that is right 95 times in 100."""

    low: float
    """Lower end."""
    high: float
    """Upper end."""


class Bounds(NamedTuple):
    """Many intervals, as two arrays of the same shape."""

    low: Floats
    """Lower ends."""
    high: Floats
    """Upper ends."""

    def to_interval(self) -> Interval:
        """Return the only interval; the arrays must have no dimensions."""
        return Interval(float(self.low), float(self.high))


def compute_wilson_bounds(share: Floats, n: Floats) -> Bounds:
    """Return Wilson's score intervals of shares of ``n`` (Wilson 1927); ``n`` may be fractional.

    The ends are the values p with |share - p| = 1.96 sqrt(p (1 - p) / n).
    """
    z2 = Z95 * Z95
    centre = (share * n + z2 / 2) / (n + z2)
    half = Z95 / (n + z2) * np.sqrt(n * share * (1 - share) + z2 / 4)
    # For shares of 0 and 1, this end is exactly 0 or 1; the formula has rounding errors.
    low = np.where(share <= 0, 0.0, np.maximum(0.0, centre - half))
    return Bounds(low, np.where(share >= 1, 1.0, np.minimum(1.0, centre + half)))


def compute_share_interval(number: int, n: int) -> Interval:
    """Return Wilson's score interval of the share of ``number`` in ``n``."""
    return compute_wilson_bounds(np.array(number / n), np.array(float(n))).to_interval()


def compute_spread_ratio(means: Floats, attempts: Floats) -> Floats:
    """Return the variance between evals, relative to evals with one attempt: 1 down to 1/attempts.

    It is the ratio of the observed variance between evals to m (1 - m), the variance around a mean
    of m if every eval is passed always or never. It is 1 if each eval has one attempt. It is at
    least 1/attempts, the value if each attempt were an eval of its own. The weight of one
    all-or-nothing eval keeps it near 1 if hardly anything varies, because many perfect evals prove
    little about a hard eval that was not drawn. It is the design effect of cluster samples divided
    by the attempts (Korn and Graubard 1998); the weight was chosen by simulation.
    """
    mean = means.mean(axis=-1)
    observed = ((means - mean[..., None]) ** 2).sum(axis=-1) + _ONE_EVAL
    most = means.shape[-1] * mean * (1 - mean) + _ONE_EVAL
    least = (1 / attempts).mean(axis=-1)
    return np.minimum(1.0, np.maximum(observed / most, least))


def compute_mean_bounds(means: Floats, attempts: Floats) -> Bounds:
    """Return the interval of each mean along the last axis, over the population of evals.

    ``means`` has the pass rate of each eval, and ``attempts``, of the same shape, the number of
    attempts; there must be at least one eval, and one attempt at each. The interval is Wilson's
    with n / ``compute_spread_ratio`` for n, so with one attempt at each eval it is Wilson's own.
    """
    effective = means.shape[-1] / compute_spread_ratio(means, attempts)
    return compute_wilson_bounds(means.mean(axis=-1), effective)


def compute_mean_interval(means: Floats, attempts: Floats) -> Interval:
    """Return the interval of one mean of pass rates, by ``compute_mean_bounds``."""
    return compute_mean_bounds(means, attempts).to_interval()


def compute_session_interval(means: Sequence[float], values: Sequence[int]) -> tuple[float, float]:
    """Return the 95% interval of a mean over sessions, by `compute_mean_interval` as over evals.

    Args:
        means: the mean of the values of each session, from 0 to 1.
        values: the number of values of each session.
    """
    return compute_mean_interval(np.array(means, np.float64), np.array(values, np.float64))


def compute_difference_bounds(differences: Floats) -> Bounds:
    """Return the interval of the mean of differences by eval, from -1 to 1, along the last axis.

    With one attempt at each eval, this is the adjusted interval of Agresti and Min (2005) for
    matched pairs. Two evals are added: one on which both sides agree, and one that goes half to
    each side; the interval is mean +- 1.96 standard errors of all evals. The same two are added
    for any number of attempts. Without them, the interval of evals that all agree would be +-0
    for any number of evals.
    """
    centre, error = compute_centre_and_error(differences)
    return Bounds(
        low=np.maximum(-1.0, centre - Z95 * error), high=np.minimum(1.0, centre + Z95 * error)
    )


def compute_difference_interval(differences: Floats) -> Interval:
    """Return the interval of one mean of differences by eval, by ``compute_difference_bounds``."""
    return compute_difference_bounds(differences).to_interval()


def compute_difference_p_values(differences: Floats) -> Floats:
    """Return the level at which each interval of ``compute_difference_bounds`` would end at 0.

    The level is below 0.05 exactly if the 95% interval excludes 0.
    """
    centre, error = compute_centre_and_error(differences)
    distances = (np.abs(centre) / error / math.sqrt(2)).ravel().tolist()
    return np.array([math.erfc(distance) for distance in distances]).reshape(np.shape(centre))


def compute_centre_and_error(differences: Floats) -> tuple[Floats, Floats]:
    """Return middle and standard error of each interval of ``compute_difference_bounds``."""
    n = differences.shape[-1] + _PSEUDO_EVALS
    total = differences.sum(axis=-1)
    squares = (differences**2).sum(axis=-1)
    centre = total / n
    return centre, np.sqrt(squares + 1.0 - total * centre) / n
