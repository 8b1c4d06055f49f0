"""Two to four models side by side: only the evals on which they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from generator.scores.effect import Paired, paired
from generator.scores.inputs import Version
from generator.scores.selection import Pool

FEWEST: Final = 2
MOST: Final = 4


@dataclass(frozen=True, slots=True)
class Differing:
    """An eval on which compared models do not have the same pass rate."""

    eval: str
    """Its name."""
    rates: tuple[float, ...]
    """Pass rate of each model, in the order compared."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two to four models over the evals of one version."""

    pools: tuple[Pool, ...]
    """In the order asked."""
    differing: tuple[Differing, ...]
    """Evals on which not all have the same pass rate, widest apart first, then by name."""
    alike: int
    """Evals on which all have the same."""
    pairs: tuple[Paired, ...]
    """Each against each later one."""


def compare(version: Version, pools: Sequence[Pool]) -> Comparison:
    """Compare ``pools``, each one model under one experiment.

    Raises:
        ValueError: there are fewer than two or more than four.
    """
    if not FEWEST <= len(pools) <= MOST:
        raise ValueError(f"compare takes {FEWEST} to {MOST} models, not {len(pools)}")
    means = np.stack([one.means for one in pools])
    apart = means.max(axis=0) - means.min(axis=0)
    widest_first: list[int] = np.argsort(-apart, kind="stable").tolist()
    places = [place for place in widest_first if apart[place] > 0]
    return Comparison(
        pools=tuple(pools),
        differing=tuple(
            Differing(version.evals[place], tuple(means[:, place].tolist())) for place in places
        ),
        alike=len(version.evals) - len(places),
        pairs=tuple(paired(version, one, other) for one, other in combinations(pools, 2)),
    )
