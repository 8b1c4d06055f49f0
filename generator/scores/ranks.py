"""Ranks as ranges: the places that a model may have, as far as the evals can tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generator.scores.compare import pair_p_values
from generator.scores.difference import FEWEST_EVALS, LEVEL, holm
from generator.scores.inputs import SideCounts
from generator.scores.intervals import Floats


class RankRange(NamedTuple):
    """The places that a model may have among those of its table."""

    low: int
    """1 + how many models are better than it."""
    high: int
    """How many models there are, less those that it is better than."""

    @property
    def words(self) -> str:
        """Such as ``1`` to ``4`` with a dash between, or ``3`` where there is one place only."""
        ends = (self.low,) if self.low == self.high else (self.low, self.high)
        return "\N{EN DASH}".join(map(str, ends))


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """How models stand to one another, each in the order the models were given."""

    better: NDArray[np.bool_]
    """``better[i, j]``: model i is better than model j, corrected for all pairs."""
    ranges: tuple[RankRange, ...]
    """The places that each may have."""


def ranking(sides: Sequence[SideCounts]) -> Ranking:
    """Compare every two of ``sides`` by the standard of `generator.scores.difference`.

    P-values are corrected over all pairs (Holm): among models that are all equal in truth, any two
    are told apart at most 5 times in 100.
    """
    means = np.array([one.means for one in sides])
    better = np.zeros((len(sides), len(sides)), dtype=np.bool_)
    pairs = list(combinations(range(len(sides)), 2))
    if pairs and means.shape[1] >= FEWEST_EVALS:
        raw = pair_p_values(sides)
        corrected = holm([float(raw[pair]) for pair in pairs])
        scores = means.mean(axis=1)
        for (one, other), p_value in zip(pairs, corrected, strict=True):
            if p_value < LEVEL:
                ahead, behind = (one, other) if scores[one] > scores[other] else (other, one)
                better[ahead, behind] = True
    ranges = zip(
        (1 + better.sum(axis=0)).tolist(), (len(sides) - better.sum(axis=1)).tolist(), strict=True
    )
    return Ranking(better, tuple(RankRange(low, high) for low, high in ranges))


def display_order(scores: Floats, slugs: Sequence[str]) -> list[int]:
    """Return the places of models from the first row down: by score, then slug."""
    return sorted(range(len(slugs)), key=lambda i: (-round(float(scores[i]), 12), slugs[i]))
