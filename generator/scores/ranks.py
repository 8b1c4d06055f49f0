"""Ranks with ties: a model is only behind those that are better by more than chance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generator.scores.intervals import Floats, difference_bounds


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """How models stand to one another, each array in the order the models were given."""

    better: NDArray[np.bool_]
    """``better[i, j]``: the paired difference of model i against model j is positive at 95%."""
    ranks: NDArray[np.intp]
    """1 + how many models are better."""


def ranking(means: Floats) -> Ranking:
    """Compare every two rows of ``means`` (models x evals) eval by eval.

    A pair that is equal in truth is called different at most about 5 times in 100, 2.5 for each
    direction; nothing is corrected for the number of pairs.
    """
    bounds = difference_bounds(means[:, None, :] - means[None, :, :])
    # Above 0 by more than rounding, so that models in another order get the same ranks.
    better = bounds.low > 1e-12  # noqa: PLR2004
    return Ranking(better=better, ranks=1 + better.sum(axis=0))


def display_order(ranks: NDArray[np.intp], scores: Floats, slugs: list[str]) -> list[int]:
    """Return the places of models from the first row down: rank, then score, then slug.

    "Better at 95%" need not be transitive (A may beat C but not B, though B is behind C), ranks
    are: sorted by them first, no row stands above one of a better rank.
    """
    return sorted(range(len(slugs)), key=lambda i: (int(ranks[i]), -float(scores[i]), slugs[i]))
