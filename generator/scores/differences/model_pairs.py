"""The differences between all pairs of models of a version."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from generator.scores.differences.difference import (
    Conclusion,
    compute_p_value,
    compute_p_values,
    draw_conclusion,
)
from generator.scores.differences.joint import compute_joint_p_values
from generator.scores.inputs import SideCounts
from generator.scores.intervals import Floats, Interval, compute_difference_bounds
from generator.scores.run_selection import Pool


@dataclass(frozen=True, slots=True)
class Against:
    """The difference of one model from another, over all evals of a version."""

    difference: float
    """Mean over the evals of the first pass rate minus the second, from -1 to 1."""
    interval: Interval
    """The 95% interval of this pair, not corrected for other pairs."""
    better: int
    """The number of evals at which a higher share of the first model's attempts passes."""
    worse: int
    """The number of evals at which a higher share of the second model's attempts passes."""
    p_value: float
    """Two-sided p-value of no difference at all, corrected for the pairs of its family."""
    uncorrected: float
    """The p-value without the correction for other pairs."""
    conclusion: Conclusion
    """The conclusion about the first model."""

    def swap_models(self) -> "Against":
        """Return the difference of the second model from the first."""
        turned = {Conclusion.BETTER: Conclusion.WORSE, Conclusion.WORSE: Conclusion.BETTER}
        return replace(
            self,
            difference=-self.difference,
            interval=Interval(-self.interval.high, -self.interval.low),
            better=self.worse,
            worse=self.better,
            conclusion=turned.get(self.conclusion, self.conclusion),
        )


def compare_all_pairs(pools: Sequence[Pool]) -> dict[tuple[int, int], Against]:
    """Return the difference of each of ``pools`` from each later pool, by their indexes.

    P-values are corrected together (`generator.scores.differences.joint`) within families. A family
    has the pairs of different models under the same two conditions; pairs with a baseline are
    another family. A model under two conditions is a family of its own.
    """
    if len(pools) < 2:  # noqa: PLR2004 - nothing to compare
        return {}
    raw = compute_pair_p_values([first.side for first in pools])
    families: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for first, other in combinations(range(len(pools)), 2):
        families.setdefault(_choose_family(pools[first], pools[other]), []).append((first, other))
    corrected: dict[tuple[int, int], float] = {}
    for pairs in families.values():
        numbers = sorted({pool for pair in pairs for pool in pair})
        among = [(numbers.index(first), numbers.index(other)) for first, other in pairs]
        together = compute_joint_p_values(
            [pools[pool].side for pool in numbers], among, [float(raw[pair]) for pair in pairs]
        )
        corrected |= zip(pairs, together, strict=True)
    return _compute_figures(np.array([first.means for first in pools]), raw, corrected)


def compute_pair_p_values(sides: Sequence[SideCounts]) -> Floats:
    """Return the uncorrected p-values of all pairs of ``sides``, as a matrix; 1 on the diagonal."""
    table = np.ones((len(sides), len(sides)))
    counts = [
        int(earlier.judged[0]) if (earlier.judged == earlier.judged[0]).all() else 0
        for earlier in sides
    ]
    passed = np.stack([earlier.passed for earlier in sides])
    alike: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for earlier, other in combinations(range(len(sides)), 2):
        fewer, more = sorted((earlier, other), key=counts.__getitem__)
        alike.setdefault((counts[fewer], counts[more]), []).append((fewer, more))
    for (n, m), pairs in alike.items():
        first, second = np.array(pairs).T
        if n == 0:
            # A side of these pairs has different numbers of attempts at its evals.
            some = [
                compute_p_value(sides[j].means - sides[i].means, sides[i], sides[j])
                for i, j in pairs
            ]
        else:
            some = compute_p_values(passed[first], n, passed[second], m)
        table[first, second] = table[second, first] = some
    return table


def _choose_family(first: Pool, other: Pool) -> tuple[object, ...]:
    if first.slug == other.slug:
        return first.slug, first.experiment, other.experiment
    conditions = sorted((first.experiment, other.experiment))
    return (*conditions, first.baseline or other.baseline)


def _compute_figures(
    means: Floats, raw: Floats, corrected: Mapping[tuple[int, int], float]
) -> dict[tuple[int, int], Against]:
    by_pair: dict[tuple[int, int], Against] = {}
    evals = means.shape[1]
    for first in range(len(means) - 1):
        differences = means[first] - means[first + 1 :]
        bounds = compute_difference_bounds(differences)
        figures = zip(
            differences.mean(axis=-1).tolist(),
            bounds.low.tolist(),
            bounds.high.tolist(),
            (differences > 0).sum(axis=-1).tolist(),
            (differences < 0).sum(axis=-1).tolist(),
            strict=True,
        )
        for after, (value, low, high, better, worse) in enumerate(figures, start=first + 1):
            p = corrected[first, after]
            verdict = draw_conclusion(value, evals, p)
            alone = float(raw[first, after])
            by_pair[first, after] = Against(
                value, Interval(low, high), better, worse, p, alone, verdict
            )
    return by_pair
