"""Ranks as ranges, because the evals cannot separate all models."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from generator.scores.differences.difference import FEWEST_EVALS, LEVEL
from generator.scores.differences.joint import compute_joint_p_values
from generator.scores.differences.model_pairs import compute_pair_p_values
from generator.scores.inputs import SideCounts
from generator.scores.intervals import Floats


class RankRange(NamedTuple):
    """The ranks that a model may have among the models of its table."""

    low: int
    """The best rank: 1 + the number of models that are better."""
    high: int
    """The worst rank: the number of models less the number than which it is better."""

    @property
    def words(self) -> str:
        """The range as text, such as ``1`` and ``4`` with a dash between, or ``3`` for one rank."""
        ends = (self.low,) if self.low == self.high else (self.low, self.high)
        return "\N{EN DASH}".join(map(str, ends))


def rank_ranges(sides: Sequence[SideCounts]) -> tuple[RankRange, ...]:
    """Return the ranks of ``sides``, by comparing all pairs.

    A side is better if it differs by the standard of `generator.scores.differences.difference`,
    with p-values corrected for all pairs (`generator.scores.differences.joint`). Among models that
    are truly equal, any two are separated at most 5 times in 100.
    """
    means = np.array([side.means for side in sides])
    above, below = [0] * len(sides), [0] * len(sides)
    pairs = list(combinations(range(len(sides)), 2))
    if pairs and means.shape[1] >= FEWEST_EVALS:
        raw = compute_pair_p_values(sides)
        corrected = compute_joint_p_values(sides, pairs, [float(raw[pair]) for pair in pairs])
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
    """Return the indexes of models in the order of rows: by score, then by slug."""
    return sorted(range(len(slugs)), key=lambda i: (-round(float(scores[i]), 12), slugs[i]))
