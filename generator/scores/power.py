"""The power of a comparison: how large an effect its own test could have shown."""

from bisect import bisect_left
from functools import lru_cache
from typing import Final

import numpy as np

from generator.scores.difference import FEWEST_EVALS, LEVEL, p_values
from generator.scores.inputs import Counts, SideCounts
from generator.scores.intervals import Floats, difference_p_values

POWER: Final = 0.8
"""How often an effect is to be shown."""

_SUITES: Final = 200
_SEED: Final = 20_261_125


def smallest_effect(first: SideCounts, second: SideCounts) -> float | None:
    """Return the least share of evals fixed that would be shown 80 times in 100.

    Suites are simulated (200, seeded). Without an effect, the attempts at each eval are those of
    both sides, exchanged at random between them: so much as now changes for no reason. Then k
    evals, any of them, are failed by every attempt of the first side and passed by every one of the
    second. The least k for which 80 in 100 suites are said to differ, over the number of evals.

    None with fewer than six evals or where even all evals fixed would not be enough, and where the
    sides' numbers of attempts differ from eval to eval.
    """
    n, m = int(first.judged[0]), int(second.judged[0])
    evals = first.judged.size
    if evals < FEWEST_EVALS or (first.judged != n).any() or (second.judged != m).any():
        return None
    both = (first.passed + second.passed).astype(np.int32)
    return _least_share(both.tobytes(), n, m)


@lru_cache(maxsize=1 << 10)
def _least_share(both: bytes, n: int, m: int) -> float | None:
    """Return the share for 32-bit counts of passes by eval, of n + m attempts at each.

    Remembered, because it takes tens of milliseconds for each model, and a record that changes
    while a preview goes on changes one model's.
    """
    return _simulated(np.frombuffer(both, dtype=np.int32), n, m)


def _simulated(both: Counts, n: int, m: int) -> float | None:
    random = np.random.default_rng(_SEED)
    evals = both.size
    later = random.hypergeometric(both, n + m - both, m, size=(_SUITES, evals)).astype(np.int32)
    turns = random.permuted(np.tile(np.arange(evals), (_SUITES, 1)), axis=1)

    def sides(fixed: int) -> tuple[Counts, Counts]:
        chosen = turns < fixed
        first = np.where(chosen, 0, both - later).astype(np.int32)
        return first, np.where(chosen, m, later).astype(np.int32)

    def told_by_interval(fixed: int) -> bool:
        first, second = sides(fixed)
        return _often(difference_p_values(second / m - first / n))

    def shown(fixed: int) -> bool:
        first, second = sides(fixed)
        return _often(p_values(first, n, second, m))

    # A p-value is the larger of the interval's and the exact test's. The interval's takes a tenth
    # of the time, and says from where on the other has to be asked.
    numbers = range(1, evals + 1)
    likely = numbers[bisect_left(numbers, x=True, key=told_by_interval) :]
    least = next(filter(shown, likely), None)
    return None if least is None else least / evals


def _often(found: Floats) -> bool:
    """Say whether as many suites as are asked for differ."""
    return float((found < LEVEL).mean()) >= POWER
