"""Every two models of a version against one another, eval by eval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from generator.scores.difference import Conclusion, conclusion, p_value, p_values
from generator.scores.inputs import SideCounts
from generator.scores.intervals import Floats, Interval, difference_bounds
from generator.scores.joint import joint_p_values
from generator.scores.selection import Pool

_MOST: Final = 0.5


@dataclass(frozen=True, slots=True)
class Against:
    """One model against another over all evals of a version."""

    difference: float
    """Mean over the evals of first minus second pass rate, -1 to 1."""
    interval: Interval
    """At 95%, of this pair alone."""
    better: int
    """Evals that the first passes in most attempts and the second does not."""
    worse: int
    """The reverse."""
    p_value: float
    """Two-sided, of no difference at all, corrected for the pairs of its family."""
    uncorrected: float
    """The same as if no other pair were compared."""
    conclusion: Conclusion
    """What can be said of the first."""

    def turned(self) -> "Against":
        """Return the second against the first."""
        turned = {Conclusion.BETTER: Conclusion.WORSE, Conclusion.WORSE: Conclusion.BETTER}
        return replace(
            self,
            difference=-self.difference,
            interval=Interval(-self.interval.high, -self.interval.low),
            better=self.worse,
            worse=self.better,
            conclusion=turned.get(self.conclusion, self.conclusion),
        )


def each_pair(pools: Sequence[Pool]) -> dict[tuple[int, int], Against]:
    """Compare each of ``pools`` with each later one, by their places.

    P-values are corrected together (`generator.scores.joint`) within families: pairs of different
    models under the same two conditions, which is what ranks are made of, and apart from them those
    with a baseline. A model under one condition against itself under another is a question of its
    own.
    """
    if len(pools) < 2:  # noqa: PLR2004 - nothing to compare
        return {}
    raw = pair_p_values([one.side for one in pools])
    families: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for one, other in combinations(range(len(pools)), 2):
        families.setdefault(_family(pools[one], pools[other]), []).append((one, other))
    corrected: dict[tuple[int, int], float] = {}
    for pairs in families.values():
        places = sorted({place for pair in pairs for place in pair})
        among = [(places.index(one), places.index(other)) for one, other in pairs]
        together = joint_p_values(
            [pools[place].side for place in places], among, [float(raw[pair]) for pair in pairs]
        )
        corrected |= zip(pairs, together, strict=True)
    return _figures(np.array([one.means for one in pools]), raw, corrected)


def pair_p_values(sides: Sequence[SideCounts]) -> Floats:
    """Return the p-value of every two of ``sides``, by their places; 1 on the diagonal."""
    found = np.ones((len(sides), len(sides)))
    counts = [int(one.judged[0]) if (one.judged == one.judged[0]).all() else 0 for one in sides]
    passed = np.stack([one.passed for one in sides])
    alike: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for one, other in combinations(range(len(sides)), 2):
        fewer, more = sorted((one, other), key=counts.__getitem__)
        alike.setdefault((counts[fewer], counts[more]), []).append((fewer, more))
    for (n, m), pairs in alike.items():
        first, second = np.array(pairs).T
        if n == 0:
            # A side whose attempts differ from eval to eval.
            some = [p_value(sides[j].means - sides[i].means, sides[i], sides[j]) for i, j in pairs]
        else:
            some = p_values(passed[first], n, passed[second], m)
        found[first, second] = found[second, first] = some
    return found


def _family(one: Pool, other: Pool) -> tuple[object, ...]:
    if one.slug == other.slug:
        return one.slug, one.experiment, other.experiment
    conditions = sorted((one.experiment, other.experiment))
    return (*conditions, one.baseline or other.baseline)


def _figures(
    means: Floats, raw: Floats, corrected: Mapping[tuple[int, int], float]
) -> dict[tuple[int, int], Against]:
    found: dict[tuple[int, int], Against] = {}
    mostly = means > _MOST
    evals = means.shape[1]
    for place in range(len(means) - 1):
        differences = means[place] - means[place + 1 :]
        bounds = difference_bounds(differences)
        figures = zip(
            differences.mean(axis=-1).tolist(),
            bounds.low.tolist(),
            bounds.high.tolist(),
            (mostly[place] & ~mostly[place + 1 :]).sum(axis=-1).tolist(),
            (mostly[place + 1 :] & ~mostly[place]).sum(axis=-1).tolist(),
            strict=True,
        )
        for after, (value, low, high, better, worse) in enumerate(figures, start=place + 1):
            p = corrected[place, after]
            said = conclusion(value, evals, p)
            alone = float(raw[place, after])
            found[place, after] = Against(value, Interval(low, high), better, worse, p, alone, said)
    return found
