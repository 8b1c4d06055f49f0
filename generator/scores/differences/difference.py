"""The test whether two sides differ, eval by eval: the standard for all such statements.

The p-value of a difference is the larger of two p-values. The first is the level at which the
interval of the mean difference would end at 0; it is about the population of evals. The second is
that of the exact test that exchanges attempts within evals; it holds for any number of evals. Two
sides differ if the p-value is below 0.05. If many pairs are compared, their p-values are first
corrected for the number of pairs (Holm 1979).
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import compress
from math import comb
from typing import Self, TypeVar

import numpy as np

from generator.scores import intervals
from generator.scores.differences import exchange
from generator.scores.inputs import Counts, SideCounts

LEVEL = 0.05
"""The most often that sides which are truly equal are called different."""
FEWEST_EVALS = 6
"""With fewer evals, no difference is shown. With one attempt at each of five evals, even five fixed
evals have a p-value of 2 / 2^5 = 0.06, above `LEVEL`. With more attempts, it may be below, but five
evals are too few."""


class Conclusion(StrEnum):
    """A conclusion about the second side in comparison with the first."""

    BETTER = "better"
    WORSE = "worse"
    NOISE = "noise"
    """Not more than chance; this does not prove that the sides are equal."""
    TOO_FEW = "too_few"
    """The evals are too few to show any difference."""


SHOWN = frozenset({Conclusion.BETTER, Conclusion.WORSE})
"""The conclusions of which a difference is more than chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The difference of the second side from the first, over the same evals."""

    value: float
    """Mean over the evals of the second pass rate minus the first, from -1 to 1."""
    interval: intervals.Interval
    """The 95% interval over the population of evals; see `intervals.compute_difference_bounds`."""
    evals: int
    """The number of compared evals."""
    p_value: float
    """Two-sided p-value of no difference at all, corrected if it is one of many comparisons."""
    uncorrected: float
    """The p-value without a correction for other comparisons."""

    @classmethod
    def measure(cls, changes: intervals.Floats, p_value: float, **names: tuple[str, ...]) -> Self:
        """Return the mean of ``changes`` by eval, with its interval and a p-value.

        ``names`` are those of evals, for the fields of a subclass.
        """
        return cls(
            value=float(changes.mean()),
            interval=intervals.compute_difference_interval(changes),
            evals=int(changes.size),
            p_value=p_value,
            uncorrected=p_value,
            **names,
        )

    @property
    def conclusion(self) -> Conclusion:
        """The conclusion by the corrected p-value and the standard at the top of this module."""
        if self.evals < FEWEST_EVALS:
            return Conclusion.TOO_FEW
        if self.p_value >= LEVEL:
            return Conclusion.NOISE
        return Conclusion.BETTER if self.value > 0 else Conclusion.WORSE

    @property
    def telling_p_value(self) -> float | None:
        """The p-value; None if the evals are too few to show any difference."""
        return None if self.conclusion is Conclusion.TOO_FEW else self.p_value

    @property
    def real(self) -> bool:
        """Whether the sides differ by more than chance."""
        return self.conclusion in SHOWN

    @property
    def points(self) -> float:
        """The difference in percentage points; positive if the second side does better."""
        return 100 * self.value

    @property
    def low(self) -> float:
        """Lower end of the interval in percentage points."""
        return 100 * self.interval.low

    @property
    def high(self) -> float:
        """Upper end of the interval in percentage points."""
        return 100 * self.interval.high


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference(Difference):
    """A difference with the evals at which the sides differ."""

    fixed: tuple[str, ...]
    """The evals at which a higher share of the second side's attempts passes."""
    broken: tuple[str, ...]
    """The evals at which a higher share of the first side's attempts passes."""


def compare_sides(
    first: SideCounts, second: SideCounts, *, evals: Sequence[str] = ()
) -> PairedDifference:
    """Return the difference of ``second`` from ``first``; they must have at least one eval.

    Without the names of the ``evals``, the result does not name the evals that differ.
    """
    changes = second.means - first.means
    p_value = compute_p_value(changes, first, second)
    if first.beside is not None and second.beside is not None:
        whole = compare_sides(first.whole, second.whole)
        p_value = uphold(p_value, float(changes.mean()), whole.p_value, whole.value)
    return PairedDifference.measure(
        changes,
        p_value,
        fixed=tuple(compress(evals, changes > 0)),
        broken=tuple(compress(evals, changes < 0)),
    )


def uphold(p_value: float, value: float, whole_p_value: float, whole_value: float) -> float:
    """Return the p-value of a difference over shared evals, if missing evals count as failed, too.

    A model's failed evals go missing more often than its passed ones, which favours it over a model
    that lacks none. So a difference must be shown both over the shared evals and over all.
    """
    return max(p_value, whole_p_value) if value * whole_value > 0 else 1.0


def compute_p_value(changes: intervals.Floats, first: SideCounts, second: SideCounts) -> float:
    """Return the p-value of two sides; ``changes`` are their differences by eval."""
    return max(
        float(intervals.compute_difference_p_values(changes)),
        exchange.compute_exchange_p_value(first, second),
    )


def compute_p_values(
    first_passed: Counts, first_judged: int, second_passed: Counts, second_judged: int
) -> intervals.Floats:
    """Return the p-values of many pairs; arguments as of `exchange.compute_exchange_p_values`."""
    changes = second_passed / second_judged - first_passed / first_judged
    exchanged = exchange.compute_exchange_p_values(
        first_passed, first_judged, second_passed, second_judged
    )
    return np.maximum(intervals.compute_difference_p_values(changes), exchanged)


def correct_by_holm(raw: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number (Holm 1979), in the same order.

    At most 5 times in 100, any of the corrected p-values below `LEVEL` belongs to equal sides,
    in whatever way the p-values depend on one another.
    """
    order = np.argsort(raw, kind="stable")
    steps = np.minimum(1.0, np.sort(raw) * np.arange(len(raw), 0, -1))
    corrected = np.empty(len(raw))
    corrected[order] = np.maximum.accumulate(steps)
    return corrected.tolist()


AnyDifference = TypeVar("AnyDifference", bound=Difference)


def correct_differences(differences: Sequence[AnyDifference]) -> list[AnyDifference]:
    """Return differences with p-values that are corrected for the number of differences."""
    corrected = correct_by_holm([each.p_value for each in differences])
    pairs = zip(differences, corrected, strict=True)
    return [replace(each, p_value=p_value) for each, p_value in pairs]


POWER = 0.8
"""How often an effect must be noticed."""

_SUITES = 200
_SEED = 20_261_125


def compute_smallest_effect(first: SideCounts, second: SideCounts) -> float | None:
    """Return the least share of fixed evals that would be noticed 80 times in 100.

    200 suites are simulated with a fixed seed. Without an effect, the attempts at each eval are
    those of both sides, exchanged at random, so that as many evals differ by chance as in the real
    results. Then, at k random evals, all attempts of the first side fail and all of the second
    pass. The result is the least k at which the sides differ in 80 of 100 suites, divided by the
    number of evals.

    None with fewer than six evals, if even fixing all evals is not enough, and if a side has
    different numbers of attempts at its evals.
    """
    n, m = int(first.judged[0]), int(second.judged[0])
    evals = first.judged.size
    if evals < FEWEST_EVALS or (first.judged != n).any() or (second.judged != m).any():
        return None
    return _simulate((first.passed + second.passed).astype(np.int32).tobytes(), n, m)


def compute_smallest_difference(evals: int, runs: int) -> float | None:
    """Return the smallest effect between two models with so many ``runs`` each.

    Each attempt passes half of the time, by which chance makes the largest differences. The evals
    have the quantiles of the passes that both models then have together.
    """
    if evals < FEWEST_EVALS:
        return None
    ways = [comb(2 * runs, passed) for passed in range(2 * runs + 1)]
    places = (np.arange(evals) + 0.5) / evals
    both = np.searchsorted(np.cumsum(ways) / 4**runs, places).astype(np.int32)
    return _simulate(both.tobytes(), runs, runs)


@lru_cache(maxsize=4096)
def _simulate(passed: bytes, n: int, m: int) -> float | None:
    """Return the smallest effect; cached, since several pages show it."""
    both = np.frombuffer(passed, dtype=np.int32)
    random = np.random.default_rng(_SEED)
    evals = both.size
    later = random.hypergeometric(both, n + m - both, m, size=(_SUITES, evals)).astype(np.int32)
    turns = random.permuted(np.tile(np.arange(evals), (_SUITES, 1)), axis=1)

    def simulate_sides(fixed: int) -> tuple[Counts, Counts]:
        chosen = turns < fixed
        first = np.where(chosen, 0, both - later).astype(np.int32)
        return first, np.where(chosen, m, later).astype(np.int32)

    def is_noticed_by_interval(fixed: int) -> bool:
        first, second = simulate_sides(fixed)
        return _is_often(intervals.compute_difference_p_values(second / m - first / n))

    def is_noticed(fixed: int) -> bool:
        first, second = simulate_sides(fixed)
        return _is_often(compute_p_values(first, n, second, m))

    # A p-value is the larger one of the interval and the exact test. The interval takes a tenth of
    # the time; it finds the smallest number of fixed evals that the exact test has to try.
    numbers = range(1, evals + 1)
    likely = numbers[bisect_left(numbers, x=True, key=is_noticed_by_interval) :]
    least = next(filter(is_noticed, likely), None)
    return None if least is None else least / evals


def _is_often(p_values_of_suites: intervals.Floats) -> bool:
    """Return whether the sides differ in enough of the simulated suites."""
    return float((p_values_of_suites < LEVEL).mean()) >= POWER
