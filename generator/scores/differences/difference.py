"""The test whether two sides differ, eval by eval: the standard for every such statement.

The p-value of a difference is the larger of two: the level at which the interval of the mean
difference would end at 0, which speaks of the population of evals, and that of the exact test that
exchanges attempts within evals, which holds however few evals there are. Two sides differ where it
is below 0.05. Where many pairs are looked at together, their p-values are first corrected for how
many pairs there are (Holm 1979).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from generator.scores.differences.exchange import exchange_p_value, exchange_p_values
from generator.scores.inputs import Counts, SideCounts
from generator.scores.intervals import (
    Floats,
    Interval,
    difference_interval,
    difference_p_values,
)

LEVEL: Final = 0.05
"""Sides that are equal in truth are found different at most this often."""
FEWEST_EVALS: Final = 6
"""With fewer evals no difference is shown. With one attempt at each, not even all evals fixed give
a p-value below `LEVEL`: 2 / 2^5 is 0.06. With more attempts they may, but five evals are few."""


class Conclusion(StrEnum):
    """A conclusion on the second side against the first."""

    BETTER = "better"
    WORSE = "worse"
    NOISE = "noise"
    """Inside the noise, which does not prove that the sides are equal."""
    TOO_FEW = "too_few"
    """Too few evals to show any difference."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The second side against the first."""

    value: float
    """Mean over the evals of second minus first pass rate, -1 to 1."""
    interval: Interval
    """At 95%, over the population of evals; see `intervals.difference_bounds`."""
    p_value: float
    """Two-sided, of no difference at all; not corrected for other pairs."""
    evals: int
    """Evals that both sides have."""
    fixed: tuple[int, ...]
    """Places of the evals at which a higher share of the second side's attempts passes."""
    broken: tuple[int, ...]
    """Places of the evals at which a higher share of the first side's attempts passes."""

    @property
    def conclusion(self) -> Conclusion:
        """Conclusion without a correction for other questions."""
        return conclusion(self.value, self.evals, self.p_value)


def conclusion(value: float, evals: int, p_value: float) -> Conclusion:
    """Return whether a difference is more than noise, by the standard at the top of this module.

    Args:
        value: the difference; only its sign counts.
        evals: evals that it is the mean over.
        p_value: of the difference, corrected where it is one of many.
    """
    if evals < FEWEST_EVALS:
        return Conclusion.TOO_FEW
    if p_value >= LEVEL:
        return Conclusion.NOISE
    return Conclusion.BETTER if value > 0 else Conclusion.WORSE


def difference(first: SideCounts, second: SideCounts) -> PairedDifference:
    """Compare ``second`` with ``first`` over the evals of both; at least one."""
    changes = second.means - first.means
    fixed, broken = moved(first, second)
    return PairedDifference(
        value=float(changes.mean()),
        interval=difference_interval(changes),
        p_value=p_value(changes, first, second),
        evals=int(changes.size),
        fixed=fixed,
        broken=broken,
    )


def moved(first: SideCounts, second: SideCounts) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the places of evals at which ``second`` passes a higher share, and ``first`` does."""
    fixed: list[int] = np.flatnonzero(second.means > first.means).tolist()
    broken: list[int] = np.flatnonzero(first.means > second.means).tolist()
    return tuple(fixed), tuple(broken)


def p_value(changes: Floats, first: SideCounts, second: SideCounts) -> float:
    """Return the p-value of the mean of ``changes`` by eval, which attempts of two sides make."""
    return max(float(difference_p_values(changes)), exchange_p_value(first, second))


def p_values(
    first_passed: Counts, first_judged: int, second_passed: Counts, second_judged: int
) -> Floats:
    """Return the p-value of each of many pairs; see `exchange.exchange_p_values` for arguments."""
    changes = second_passed / second_judged - first_passed / first_judged
    exchanged = exchange_p_values(first_passed, first_judged, second_passed, second_judged)
    return np.maximum(difference_p_values(changes), exchanged)


def holm(found: Sequence[float]) -> list[float]:
    """Correct p-values for how many they are (Holm 1979), in the order given.

    Those below `LEVEL` then hold together: that any of them belongs to equal sides happens at most
    5 times in 100, however they depend on one another.
    """
    order = sorted(range(len(found)), key=lambda number: found[number])
    corrected = [1.0] * len(found)
    largest = 0.0
    for rank, number in enumerate(order):
        largest = max(largest, min(1.0, (len(found) - rank) * found[number]))
        corrected[number] = largest
    return corrected
