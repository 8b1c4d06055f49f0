"""The differences between all pairs of models of a version, with p-values corrected together.

The correction is step-down max-T by exchanged attempts. The statistic of a pair is its mean
difference over the evals in standard errors. If all models were equal at each eval, any attempt at
an eval could be any model's, and the numbers of passes would be multivariate hypergeometric. Many
such results are drawn. The largest observed statistic is compared with the largest statistic of all
pairs in each draw, the second largest with the largest of the remaining pairs, and so on (Westfall
and Young 1993). The pairs of a leaderboard depend on one another; Holm's correction does not use
this, so its ranges of ranks are wider.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from generator.scores.differences.difference import (
    Difference,
    compare_sides,
    compute_p_values,
    uphold,
)
from generator.scores.inputs import Counts, Pool, SideCounts
from generator.scores.intervals import Floats, Interval, compute_difference_bounds
from records.grouping import group_values

Pair = tuple[int, int]
"""The indexes of two sides."""


class PairPValues(NamedTuple):
    """The two-sided p-values of no difference between two sides."""

    alone: float
    corrected: float
    """The p-value corrected for all pairs that were compared together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Against(Difference):
    """The difference of a model from another one, over all evals of a version.

    The p-value is corrected for the pairs of its family, the interval is not.
    """

    better: int
    """The number of evals at which a higher share of the model's attempts passes."""
    worse: int
    """The number of evals at which a higher share of the other model's attempts passes."""

    def swap_models(self) -> "Against":
        """Return the difference of the other model from this one."""
        return replace(
            self,
            value=-self.value,
            interval=Interval(-self.interval.high, -self.interval.low),
            better=self.worse,
            worse=self.better,
        )


def compare_all_pairs(pools: Sequence[Pool]) -> dict[Pair, Against]:
    """Return the difference of each of ``pools`` from each later pool, by their indexes.

    P-values are corrected together (`compute_pair_p_values`) within families. A family has the
    pairs of different models under the same two conditions; pairs with a baseline are another
    family. A model under two conditions is a family of its own.
    """
    pairs = list(combinations(range(len(pools)), 2))
    if not pairs:
        return {}
    families = group_values(
        (_choose_family(*(pools[side] for side in pair)), pair) for pair in pairs
    )
    p_values: dict[Pair, PairPValues] = {}
    for family in families.values():
        numbers = sorted({pool for pair in family for pool in pair})
        among = [(numbers.index(first), numbers.index(other)) for first, other in family]
        together = compute_pair_p_values([pools[pool] for pool in numbers], among)
        p_values |= zip(family, together, strict=True)
    means = np.array([pool.means for pool in pools])
    firsts, others = np.array(pairs).T
    differences = means[firsts] - means[others]
    bounds = compute_difference_bounds(differences)
    figures = zip(
        pairs,
        differences.mean(axis=-1).tolist(),
        bounds.low.tolist(),
        bounds.high.tolist(),
        (differences > 0).sum(axis=-1).tolist(),
        (differences < 0).sum(axis=-1).tolist(),
        strict=True,
    )
    return {
        pair: Against(
            value=value,
            interval=Interval(low, high),
            evals=means.shape[1],
            p_value=p_values[pair].corrected,
            uncorrected=p_values[pair].alone,
            better=better,
            worse=worse,
        )
        for pair, value, low, high, better, worse in figures
    }


def _choose_family(first: Pool, other: Pool) -> tuple[object, ...]:
    if first.slug == other.slug:
        return first.slug, first.experiment, other.experiment
    conditions = sorted((first.experiment, other.experiment))
    return (*conditions, first.baseline or other.baseline)


_DRAWS = 2_000
_AT_ONCE = 125
"""The number of draws in memory at the same time."""
_SEED = 20_261_126
_LEAST_VARIANCE = 1e-6
"""The least variance of a pair's differences, for pairs that differ equally at every eval."""
_ROUNDING = 1e-6
"""Statistics with a smaller difference count as equal."""


def compute_pair_p_values(sides: Sequence[SideCounts], pairs: Sequence[Pair]) -> list[PairPValues]:
    """Return the p-values of each of ``pairs`` of ``sides``, which have the same evals.

    If all sides are truly equal, any pair is below 0.05 at most 5 times in 100 when corrected.
    """
    shared = _compute_together(sides, pairs)
    if all(side.beside is None for side in sides):
        return shared
    wholes = [side.whole for side in sides]
    means, whole_means = ([float(side.means.mean()) for side in some] for some in (sides, wholes))

    def uphold_pair(pair: Pair, p: float, whole_p: float) -> float:
        first, other = pair
        value, whole_value = (some[first] - some[other] for some in (means, whole_means))
        return uphold(p, value, whole_p, whole_value)

    return [
        PairPValues(*(uphold_pair(pair, *both) for both in zip(here, whole, strict=True)))
        for pair, here, whole in zip(pairs, shared, _compute_together(wholes, pairs), strict=True)
    ]


def _compute_together(sides: Sequence[SideCounts], pairs: Sequence[Pair]) -> list[PairPValues]:
    # Sides and pairs are sorted, so that the same pairs have the same p-values in every table, and
    # are computed once for ranks and comparisons.
    counts = [(side.judged.tolist(), side.passed.tolist()) for side in sides]
    order = sorted(range(len(sides)), key=counts.__getitem__)
    number_of = {side: number for number, side in enumerate(order)}
    judged, passed = np.array([counts[side] for side in order], dtype=np.int32).swapaxes(0, 1)
    numbered = [tuple(sorted((number_of[first], number_of[other]))) for first, other in pairs]
    together = tuple(sorted(set(numbered)))
    computed = _compute_sorted(passed.shape, passed.tobytes(), judged.tobytes(), together)
    by_pair = dict(zip(together, computed, strict=True))
    return [by_pair[pair] for pair in numbered]


@lru_cache(maxsize=16)
def _compute_sorted(
    shape: tuple[int, int], passed_bytes: bytes, judged_bytes: bytes, pairs: tuple[Pair, ...]
) -> list[PairPValues]:
    """Return the p-values; cached, since ranks and comparisons have the same pairs."""
    passed = np.frombuffer(passed_bytes, dtype=np.int32).reshape(shape)
    judged = np.frombuffer(judged_bytes, dtype=np.int32).reshape(shape)
    # Pairs with the same numbers of attempts are one array.
    steady = [int(row[0]) if (row == row[0]).all() else 0 for row in judged]
    alike = group_values(((steady[first], steady[other]), (first, other)) for first, other in pairs)
    by_pair: dict[Pair, float] = {}
    for (n, m), some in alike.items():
        if n and m:
            first, other = np.array(some).T
            computed = compute_p_values(passed[first], n, passed[other], m).tolist()
        else:  # a side of these pairs has different numbers of attempts at its evals
            sides = [SideCounts(*counts) for counts in zip(passed, judged, strict=True)]
            computed = [compare_sides(sides[first], sides[other]).p_value for first, other in some]
        by_pair |= zip(some, computed, strict=True)
    alone = [by_pair[pair] for pair in pairs]
    if len(pairs) == 1:  # it has no other to be corrected for
        return [PairPValues(alone[0], alone[0])]
    corrected = np.maximum(compute_step_down(passed, judged, pairs), alone)
    return list(map(PairPValues, alone, np.clip(corrected, 0.0, 1.0).tolist()))


def compute_step_down(passed: Counts, judged: Counts, pairs: Sequence[Pair]) -> Floats:
    """Return the step-down p-value of each of ``pairs``; counts are sides x evals."""
    pair_indexes = np.array(pairs)
    seen = _compute_statistics((passed / judged)[None], pair_indexes)[0]
    order = np.argsort(-seen, kind="stable")
    ordered, threshold = pair_indexes[order], seen[order] - _ROUNDING
    reached = np.zeros(len(pairs))
    for means in _exchange_attempts(passed, judged):
        drawn = _compute_statistics(means, ordered)
        largest_left = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]
        reached += (largest_left >= threshold).sum(axis=0)
    shares = (1 + reached) / (_DRAWS + 1)
    # A standard error of the draws is added, so that chance in the draws separates no models.
    steps = np.maximum.accumulate(shares + np.sqrt(shares * (1 - shares) / _DRAWS))
    stepped = np.empty(len(pairs))
    # Equal statistics get the same p-value, the one of the last of them.
    stepped[order] = steps[np.searchsorted(-seen[order], -threshold, side="right") - 1]
    return stepped


def _exchange_attempts(passed: Counts, judged: Counts) -> Iterator[Floats]:
    """Yield pass rates after attempts were exchanged between models: draws x models x evals."""
    random = np.random.default_rng(_SEED)
    totals = passed.sum(axis=0)
    for _ in range(_DRAWS // _AT_ONCE):
        drawn = [
            random.multivariate_hypergeometric(attempts, total, size=_AT_ONCE, method="count")
            for attempts, total in zip(judged.T, totals, strict=True)
        ]
        yield np.stack(drawn, axis=-1) / judged


def _compute_statistics(means: Floats, pair_indexes: Counts) -> Floats:
    """Return the absolute difference of each pair in standard errors: draws x pairs."""
    first, second = pair_indexes.T
    sums = means.sum(axis=-1)
    products = means @ means.swapaxes(-1, -2)
    own = np.diagonal(products, axis1=-2, axis2=-1)
    squares = own[:, first] + own[:, second] - 2 * products[:, first, second]
    totals = sums[:, first] - sums[:, second]
    variances = np.maximum(squares - totals**2 / means.shape[-1], _LEAST_VARIANCE)
    return np.abs(totals) / np.sqrt(variances)
