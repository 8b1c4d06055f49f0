"""Ranks as ranges: the places that a model may have by the evals."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from generator.scores.differences.difference import FEWEST_EVALS, LEVEL
from generator.scores.differences.joint import joint_p_values
from generator.scores.differences.model_pairs import pair_p_values
from generator.scores.inputs import SideCounts
from generator.scores.intervals import Floats


class RankRange(NamedTuple):
    """The places that a model may have among those of its table."""

    low: int
    """1 + how many models are better than it."""
    high: int
    """The number of models, less the models that it is better than."""

    @property
    def words(self) -> str:
        """Such as ``1`` to ``4`` with a dash between, or ``3`` where there is one place only."""
        ends = (self.low,) if self.low == self.high else (self.low, self.high)
        return "\N{EN DASH}".join(map(str, ends))


def rank_ranges(sides: Sequence[SideCounts]) -> tuple[RankRange, ...]:
    """Compare every two of ``sides`` by the standard of `generator.scores.differences.difference`.

    P-values are corrected over all pairs (`generator.scores.differences.joint`): among models that
    are all equal in truth, any two are separated at most 5 times in 100.
    """
    means = np.array([side.means for side in sides])
    above, below = [0] * len(sides), [0] * len(sides)
    pairs = list(combinations(range(len(sides)), 2))
    if pairs and means.shape[1] >= FEWEST_EVALS:
        raw = pair_p_values(sides)
        corrected = joint_p_values(sides, pairs, [float(raw[pair]) for pair in pairs])
        scores = means.mean(axis=1)
        for (side, other), p_value in zip(pairs, corrected, strict=True):
            if p_value < LEVEL:
                ahead, behind = (side, other) if scores[side] > scores[other] else (other, side)
                above[behind] += 1
                below[ahead] += 1
    return tuple(
        RankRange(1 + better, len(sides) - worse)
        for better, worse in zip(above, below, strict=True)
    )


def display_order(scores: Floats, slugs: Sequence[str]) -> list[int]:
    """Return the places of models from the first row down: by score, then slug."""
    return sorted(range(len(slugs)), key=lambda i: (-round(float(scores[i]), 12), slugs[i]))
