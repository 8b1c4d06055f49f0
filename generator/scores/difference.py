"""Whether two sides differ, eval by eval: the one standard for every such statement.

Two sides differ where the interval of the mean difference excludes 0 *and* the exact test's p-value
is below 0.05. The interval alone errs more often than 5 times in 100 over few evals; the test alone
says nothing of the population of evals.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

import numpy as np

from generator.scores.inputs import Counts
from generator.scores.intervals import Floats, Interval, difference_interval
from generator.scores.significance import common_unit, mcnemar_exact, sign_flip, smallest_effect

LEVEL: Final = 0.05
"""A difference as large as the one seen would be chance at most this often."""
FEWEST_EVALS: Final = 6
"""With fewer evals not even all of them fixed gives a p-value below `LEVEL`: 2 / 2^5 is 0.06."""

_MOST: Final = 0.5
_LONGEST_GRID: Final = 50_000
_DRAWS: Final = 20_000
_SEED: Final = 20_261_124


class Conclusion(StrEnum):
    """What can be said of the second side against the first."""

    BETTER = "better"
    WORSE = "worse"
    NOISE = "noise"
    """Inside the noise: which is not to say that the sides are equal."""
    TOO_FEW = "too_few"
    """Too few evals to show any difference."""


@dataclass(frozen=True, slots=True, eq=False)
class SideCounts:
    """What one side did at each eval, in an order that both sides share."""

    passed: Counts
    """Attempts passed, by eval."""
    judged: Counts
    """Attempts passed or failed, by eval; at least one each."""

    @property
    def means(self) -> Floats:
        """Pass rate of each eval."""
        return self.passed / self.judged


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The second side against the first."""

    value: float
    """Mean over the evals of second minus first pass rate, -1 to 1."""
    interval: Interval
    """At 95%, over the population of evals; see `intervals.difference_bounds`."""
    p_value: float
    """Two-sided, of no difference at all."""
    test: Literal["mcnemar", "within_evals", "sign_flip"]
    evals: int
    """Evals that both sides have."""
    fixed: tuple[int, ...]
    """Places of the evals that the second side passes in most attempts and the first does not."""
    broken: tuple[int, ...]
    """Places of the evals that the first side passes in most attempts and the second does not."""
    smallest_effect: float
    """Smallest true difference that these evals would have shown 80 times in 100."""

    @property
    def conclusion(self) -> Conclusion:
        """What can be said."""
        if self.evals < FEWEST_EVALS:
            return Conclusion.TOO_FEW
        if not differs(self.interval, self.p_value):
            return Conclusion.NOISE
        return Conclusion.BETTER if self.value > 0 else Conclusion.WORSE


def differs(interval: Interval, p_value: float) -> bool:
    """Say whether two sides differ, by the standard that stands at the top of this module."""
    return p_value < LEVEL and (interval.low > 0 or interval.high < 0)


def difference(first: SideCounts, second: SideCounts, *, one_model: bool) -> PairedDifference:
    """Compare ``second`` with ``first`` over the evals of both; at least one.

    Args:
        first: what it is against.
        second: what the difference is of.
        one_model: whether both sides are one model. The question then is whether anything changed
            at any eval, which `within_evals` tests; two models always differ eval by eval, and the
            question is whether they do in the mean.
    """
    changes = second.means - first.means
    most_first, most_second = first.means > _MOST, second.means > _MOST
    fixed: list[int] = np.flatnonzero(most_second & ~most_first).tolist()
    broken: list[int] = np.flatnonzero(most_first & ~most_second).tolist()
    single = bool((first.judged == 1).all() and (second.judged == 1).all())
    if single:
        p_value, test = mcnemar_exact(len(fixed), len(broken)), "mcnemar"
    elif one_model:
        p_value, test = within_evals(first, second), "within_evals"
    else:
        unit = common_unit(first.judged.tolist(), second.judged.tolist())
        p_value, test = sign_flip(changes, unit), "sign_flip"
    return PairedDifference(
        value=float(changes.mean()),
        interval=difference_interval(changes),
        p_value=p_value,
        test=test,
        evals=int(changes.size),
        fixed=tuple(fixed),
        broken=tuple(broken),
        smallest_effect=smallest_effect(changes),
    )


def within_evals(first: SideCounts, second: SideCounts) -> float:
    """Return the two-sided p-value of the permutation test that exchanges attempts within evals.

    Were the attempts of both sides at each eval equally likely to pass, any of them could have
    been the first side's: the passes that fall to the second side are hypergeometric at each eval
    (Fisher 1935). The p-value is the chance of a sum of differences at least as far from 0 as the
    one seen. It errs no more than its level says where the sides have unequally many attempts. For
    single attempts it is McNemar's exact test. Sums are counted exactly where their grid has at
    most 50,000 places, else 20,000 seeded draws are made and the one seen counts among them.
    """
    unit = common_unit(first.judged.tolist(), second.judged.tolist())
    if unit is None or 2 * unit * first.judged.size > _LONGEST_GRID:
        return _drawn(first, second)
    sums = np.ones(1)
    middle = seen = 0
    counts = (first.passed, first.judged, second.passed, second.judged)
    for passed, judged, later_passed, later_judged in zip(*map(_whole, counts), strict=True):
        chances, offset = _exchanged(passed + later_passed, judged, later_judged, unit)
        sums = np.convolve(sums, chances)
        middle += offset
        seen += unit * later_passed // later_judged - unit * passed // judged
    far = np.abs(np.arange(sums.size) - middle) >= abs(seen)
    return min(1.0, float(sums[far].sum()))


def _whole(counts: Counts) -> Sequence[int]:
    return counts.tolist()


def _exchanged(passes: int, judged: int, later_judged: int, unit: int) -> tuple[Floats, int]:
    """Return the chance of each difference at one eval, times ``unit``, and the place of 0."""
    total = math.comb(judged + later_judged, passes)
    chances = np.zeros(2 * unit + 1)
    for later in range(max(0, passes - judged), min(passes, later_judged) + 1):
        place = unit * later // later_judged - unit * (passes - later) // judged + unit
        ways = math.comb(later_judged, later) * math.comb(judged, passes - later)
        chances[place] += ways / total
    return chances, unit


def _drawn(first: SideCounts, second: SideCounts) -> float:
    passes = first.passed + second.passed
    attempts = first.judged + second.judged
    draws = np.random.default_rng(_SEED).hypergeometric(
        passes, attempts - passes, second.judged, size=(_DRAWS, passes.size)
    )
    sums = (draws / second.judged - (passes - draws) / first.judged).sum(axis=1)
    seen = abs(float((second.means - first.means).sum()))
    # Sums that are equal but for rounding count as equal.
    return float(1 + (np.abs(sums) >= seen - 1e-9).sum()) / (_DRAWS + 1)
