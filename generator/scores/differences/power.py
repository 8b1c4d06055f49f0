"""The power of a comparison: the smallest effect that its test would notice."""

from bisect import bisect_left
from functools import lru_cache
from typing import Final

import numpy as np

from generator.scores.differences.difference import FEWEST_EVALS, LEVEL, compute_p_values
from generator.scores.inputs import Counts, SideCounts
from generator.scores.intervals import Floats, compute_difference_p_values

POWER: Final = 0.8
"""How often an effect must be noticed."""

_SUITES: Final = 200
_SEED: Final = 20_261_125


def compute_smallest_effect(first: SideCounts, second: SideCounts) -> float | None:
    """Return the least share of fixed evals that would be noticed 80 times in 100.

    200 suites are simulated with a fixed seed. Without an effect, the attempts at each eval are
    those of both sides, exchanged at random, so that as many evals differ by chance as in the real
    results. Then, at k random evals, all attempts of the first side fail and all of the second
    pass. The result is the least k at which the sides differ in 80 of 100 suites, divided by the
    number of evals.

    None with fewer than six evals, if even fixing all evals is not enough, and if a side has
    different numbers of attempts at its evals.
    """
    n, m = int(first.judged[0]), int(second.judged[0])
    evals = first.judged.size
    if evals < FEWEST_EVALS or (first.judged != n).any() or (second.judged != m).any():
        return None
    return _simulate((first.passed + second.passed).astype(np.int32).tobytes(), n, m)


@lru_cache(maxsize=4096)
def _simulate(passed: bytes, n: int, m: int) -> float | None:
    """Return the smallest effect; cached, since several pages show it."""
    both = np.frombuffer(passed, dtype=np.int32)
    random = np.random.default_rng(_SEED)
    evals = both.size
    later = random.hypergeometric(both, n + m - both, m, size=(_SUITES, evals)).astype(np.int32)
    turns = random.permuted(np.tile(np.arange(evals), (_SUITES, 1)), axis=1)

    def simulate_sides(fixed: int) -> tuple[Counts, Counts]:
        chosen = turns < fixed
        first = np.where(chosen, 0, both - later).astype(np.int32)
        return first, np.where(chosen, m, later).astype(np.int32)

    def is_noticed_by_interval(fixed: int) -> bool:
        first, second = simulate_sides(fixed)
        return _is_often(compute_difference_p_values(second / m - first / n))

    def is_noticed(fixed: int) -> bool:
        first, second = simulate_sides(fixed)
        return _is_often(compute_p_values(first, n, second, m))

    # A p-value is the larger one of the interval and the exact test. The interval takes a tenth of
    # the time; it finds the smallest number of fixed evals that the exact test has to try.
    numbers = range(1, evals + 1)
    likely = numbers[bisect_left(numbers, x=True, key=is_noticed_by_interval) :]
    least = next(filter(is_noticed, likely), None)
    return None if least is None else least / evals


def _is_often(p_values_of_suites: Floats) -> bool:
    """Return whether the sides differ in enough of the simulated suites."""
    return float((p_values_of_suites < LEVEL).mean()) >= POWER
