"""Every two models of a version against one another, eval by eval."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from generator.scores.intervals import Floats, Interval, difference_bounds
from generator.scores.selection import Pool
from generator.scores.significance import common_unit, mcnemar_exact, sign_flip

_MOST: Final = 0.5


@dataclass(frozen=True, slots=True)
class Against:
    """One model against another over all evals of a version; see `effect.Paired`."""

    difference: float
    """Mean over the evals of first minus second pass rate, -1 to 1."""
    interval: Interval
    """At 95%."""
    better: int
    """Evals that the first passes in most attempts and the second does not."""
    worse: int
    """The reverse."""
    p_value: float
    """Two-sided, of no difference at all."""

    def turned(self) -> "Against":
        """Return the second against the first."""
        return replace(
            self,
            difference=-self.difference,
            interval=Interval(-self.interval.high, -self.interval.low),
            better=self.worse,
            worse=self.better,
        )


def each_pair(pools: Sequence[Pool]) -> dict[tuple[int, int], Against]:
    """Compare each of ``pools`` with each later one, by their places.

    The same figures as `effect.paired` has, for all that one is compared with at once.
    """
    means = np.array([one.means for one in pools])
    counts = [frozenset[int](one.judged.tolist()) for one in pools]
    return {
        (place, place + 1 + after): found
        for place in range(len(pools) - 1)
        for after, found in enumerate(_later(means[place:], counts[place:]))
    }


def _later(means: Floats, counts: Sequence[frozenset[int]]) -> Iterator[Against]:
    """Compare the first with all others; ``counts`` are each one's numbers of attempts."""
    differences = means[0] - means[1:]
    bounds = difference_bounds(differences)
    mostly = means > _MOST
    figures = zip(
        differences,
        counts[1:],
        differences.mean(axis=-1).tolist(),
        bounds.low.tolist(),
        bounds.high.tolist(),
        (mostly[0] & ~mostly[1:]).sum(axis=-1).tolist(),
        (mostly[1:] & ~mostly[0]).sum(axis=-1).tolist(),
        strict=True,
    )
    for by_eval, count, difference, low, high, better, worse in figures:
        unit = common_unit(counts[0], count)
        p_value = mcnemar_exact(better, worse) if unit == 1 else sign_flip(by_eval, unit)
        yield Against(difference, Interval(low, high), better, worse, p_value)
