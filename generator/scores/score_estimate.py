"""A score with its grounds, and means of amounts that are not always known."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from generator.scores.inputs import Amount, Counts
from generator.scores.intervals import Z95, Floats, Interval, mean_interval

FEW_EVALS: Final = 10
"""Fewer evals than this are too few to choose the best of several percentages."""


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


class PerAttempt(NamedTuple):
    """The mean of an amount over the attempts for which it is known."""

    mean: float | None
    """None where it is known for no attempt."""
    n: int
    """Attempts it is known for."""
    of: int
    """Attempts made."""


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


def per_attempt(amounts: Iterable[Amount], attempts: int) -> PerAttempt:
    """Return the mean of the known values of ``attempts``, over runs of any number of samples."""
    known_amounts = [amount for amount in amounts if amount.known_for]
    n = sum(amount.known_for for amount in known_amounts)
    mean = math.fsum(amount.total for amount in known_amounts) / n if n else None
    return PerAttempt(mean, n, attempts)


def rerun_error(means: Floats, attempts: Floats) -> float | None:
    """Return by how much the scores of two equal sets of attempts differ at most, at 95%.

    The second set has as many new attempts at the same evals, and varies as the first does: 1.96
    sqrt(2) standard errors of the mean over evals. The variance of an eval's mean over n attempts
    is estimated without bias by p (1 - p) / (n - 1): the prediction noise of eval-arena (Wang
    2025). None where any eval has one attempt only, which shows no variance.
    """
    if (attempts < 2).any():  # noqa: PLR2004 - see above
        return None
    variances = means * (1 - means) / (attempts - 1)
    return Z95 * math.sqrt(2 * float(variances.sum())) / means.size


def passes_all(passed: Counts, judged: Counts, k: int) -> float | None:
    """Return how likely k attempts at an eval all pass, in the mean over evals: pass^k.

    Of the ways to choose k of an eval's n attempts, the share that picks passes only, C(c, k) /
    C(n, k), which is unbiased (Yao et al. 2024, tau-bench). None where an eval has fewer attempts.
    """
    if (judged < k).any():
        return None
    pairs: list[tuple[int, int]] = np.stack([passed, judged], axis=1).tolist()
    return math.fsum(math.comb(c, k) / math.comb(n, k) for c, n in pairs) / len(pairs)


def partial_credit(shares: Sequence[Floats]) -> PartialCredit | None:
    """Return the mean share of tests passed over runs, one array by eval each, NaN for unknown.

    None where it is known for no eval.
    """
    table = np.array(shares)
    is_known = ~np.isnan(table)
    counts = is_known.sum(axis=0)
    met = counts > 0
    if not met.any():
        return None
    by_eval = np.where(is_known, table, 0.0).sum(axis=0)[met] / counts[met]
    return PartialCredit(float(by_eval.mean()), int(met.sum()))
