"""The power of a comparison: how large an effect its own test could have shown."""

from bisect import bisect_left
from collections.abc import Mapping
from itertools import islice
from typing import Final

import numpy as np

from generator.digests import digest_of
from generator.scores.differences.difference import FEWEST_EVALS, LEVEL, p_values
from generator.scores.inputs import Counts, SideCounts
from generator.scores.intervals import Floats, difference_p_values

POWER: Final = 0.8
"""How often an effect is to be shown."""

SIMULATED: Final[dict[str, float | None]] = {}
"""Results of `smallest_effect` by a digest of their counts, the newest last.

A simulation takes tens of milliseconds. The cache of a build keeps the results for the next build.
"""

_MOST_REMEMBERED: Final = 4096
_SUITES: Final = 200
_SEED: Final = 20_261_125


def smallest_effect(first: SideCounts, second: SideCounts) -> float | None:
    """Return the least share of evals fixed that would be shown 80 times in 100.

    Suites are simulated (200, seeded). Without an effect, the attempts at each eval are those of
    both sides, exchanged at random between them: so much as now changes for no reason. Then k
    evals, any of them, are failed by every attempt of the first side and passed by every one of the
    second. The result is the least k for which 80 in 100 suites differ, over the number of evals.

    None with fewer than six evals or where even all evals fixed would not be enough, and where the
    sides' numbers of attempts differ from eval to eval.
    """
    n, m = int(first.judged[0]), int(second.judged[0])
    evals = first.judged.size
    if evals < FEWEST_EVALS or (first.judged != n).any() or (second.judged != m).any():
        return None
    both = (first.passed + second.passed).astype(np.int32)
    key = digest_of(b"%d %d " % (n, m) + both.tobytes())
    if key not in SIMULATED:
        SIMULATED[key] = _simulated(both, n, m)
    return SIMULATED[key]


def remember_effects(effects: Mapping[str, float | None]) -> None:
    """Add effects that another process simulated; of too many the oldest are dropped."""
    SIMULATED.update(effects)
    for key in list(islice(SIMULATED, max(0, len(SIMULATED) - _MOST_REMEMBERED))):
        del SIMULATED[key]


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
    # of the time, and finds the number from which on the exact test has to be asked.
    numbers = range(1, evals + 1)
    likely = numbers[bisect_left(numbers, x=True, key=told_by_interval) :]
    least = next(filter(shown, likely), None)
    return None if least is None else least / evals


def _often(found: Floats) -> bool:
    """Return whether enough suites differ."""
    return float((found < LEVEL).mean()) >= POWER
