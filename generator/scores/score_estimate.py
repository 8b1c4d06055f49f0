"""Scores with their intervals, and means of amounts that are not always known."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from generator.scores.differences.difference import PairedDifference, compare_sides
from generator.scores.inputs import Counts, Pool, SideCounts
from generator.scores.intervals import Z95, Floats, Interval, compute_mean_interval
from records.text.numbers import round_half_up

FEW_EVALS = 10
"""With fewer evals, percentages are too coarse to be compared."""


class Share(NamedTuple):
    """A share: the passed out of the judged evals or attempts."""

    passed: float
    """The number of passed ones; a mean, and so a fraction, if an eval has several attempts."""
    judged: int

    @property
    def percent(self) -> float:
        """The share in percent, from 0 to 100."""
        return 100 * self.passed / self.judged

    @property
    def few(self) -> bool:
        """Whether too few were judged for a percentage; pages then show the counts first."""
        return self.judged < FEW_EVALS

    @property
    def passes(self) -> str:
        """The number of passed ones as text, such as ``55``, or ``54.5`` for a mean."""
        whole = round(self.passed)
        # A sum of thirds can miss a whole number by a rounding error, and would be shown as 2.0.
        is_whole = math.isclose(self.passed, whole)
        return f"{whole}" if is_whole else round_half_up(self.passed, 1)


class Estimate(NamedTuple):
    """A score: the mean pass rate over evals."""

    value: float
    """The mean over evals of the share of passed attempts, from 0 to 1."""
    interval: Interval
    """The 95% interval over the population of evals."""
    evals: int
    """The number of evals over which the score is the mean."""
    attempts: int
    """The number of judged attempts behind the score."""

    @property
    def passed(self) -> float:
        """The number of passed evals; with several attempts at an eval, the sum of pass rates."""
        return self.value * self.evals

    @property
    def share(self) -> Share:
        """The share of passed evals, without rounding errors."""
        return Share(round(self.passed, 9), self.evals)


class PerAttempt(NamedTuple):
    """The mean of an amount over the attempts for which it is known."""

    mean: float | None
    """The mean; None if the amount is known for no attempt."""
    n: int
    """The number of attempts for which the amount is known."""
    of: int
    """The number of all attempts."""


def estimate(side: SideCounts) -> Estimate | None:
    """Return the score over the evals of a side; those without an attempt are left out.

    None if no eval is left.
    """
    tried = side.select_evals(np.flatnonzero(side.judged))
    if not tried.judged.size:
        return None
    means, attempts = tried.means, tried.judged
    return Estimate(
        value=float(means.mean()),
        interval=compute_mean_interval(means, attempts.astype(np.float64)),
        evals=int(means.size),
        attempts=int(attempts.sum()),
    )


def compute_rerun_error(means: Floats, attempts: Floats | Counts) -> float | None:
    """Return the most by which the score would differ if all attempts were made again, at 95%.

    The second set has as many new attempts at the same evals, with the same variance, so the limit
    is 1.96 sqrt(2) standard errors of the mean over evals. p (1 - p) / (n - 1) is an unbiased
    estimate of the variance of an eval's mean over n attempts: the prediction noise of eval-arena
    (Wang 2025). None if an eval has only one attempt, which shows no variance.
    """
    if (attempts < 2).any():  # noqa: PLR2004 - see above
        return None
    variances = means * (1 - means) / (attempts - 1)
    return Z95 * math.sqrt(2 * float(variances.sum())) / means.size


def compute_all_pass_rate(passed: Counts, judged: Counts, k: int) -> float | None:
    """Return the probability that k attempts at an eval all pass, as a mean over evals: pass^k.

    If c of n attempts pass, C(c, k) / C(n, k) is the share of choices of k attempts that are all
    passes; it is an unbiased estimate (Yao et al. 2024, tau-bench). None if an eval has fewer than
    k attempts.
    """
    if (judged < k).any():
        return None
    pairs: list[tuple[int, int]] = np.stack([passed, judged], axis=1).tolist()
    return math.fsum(math.comb(c, k) / math.comb(n, k) for c, n in pairs) / len(pairs)


def compute_partial_credit(shares: Sequence[Floats]) -> float | None:
    """Return the mean over evals of the mean share of passed tests, from 0 to 1.

    It is shown beside the score and never replaces it. None if no share is known.
    ``shares`` has an array for each run, with a share for each eval, or NaN if it is not known.
    """
    table = np.array(shares)
    is_known = ~np.isnan(table)
    counts = is_known.sum(axis=0)
    met = counts > 0
    if not met.any():
        return None
    by_eval = np.where(is_known, table, 0.0).sum(axis=0)[met] / counts[met]
    return float(by_eval.mean())


def score_attributed(pool: Pool) -> Estimate | None:
    """Return the score of ``pool`` without the failures that reports set aside.

    None if no run has a report, or no attempt is left. A failed attempt that is set aside counts
    neither as passed nor as failed; an eval without an attempt left is not in the mean. Only
    failures can be set aside, so the result is never below the raw score. If an attempt passed when
    it was graded again, its former class has no effect.
    """
    return estimate(pool.attributed) if pool.is_reported else None


def compute_attributed_difference(first: Pool, second: Pool) -> PairedDifference | None:
    """Return the difference of ``second`` from ``first`` without the failures set aside.

    Evals without an attempt left on a side are left out. None if no run has a report, or no eval
    is left.
    """
    sides = first.attributed, second.attributed
    indexes = np.flatnonzero((sides[0].judged > 0) & (sides[1].judged > 0))
    if indexes.size == 0 or not (first.is_reported or second.is_reported):
        return None
    return compare_sides(*(side.select_evals(indexes) for side in sides))
