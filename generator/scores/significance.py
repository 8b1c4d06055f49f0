"""Whether a paired difference is more than chance, and how small a one could have been seen."""

import math
from collections.abc import Iterable
from typing import Final

import numpy as np

from generator.scores.intervals import Z95, Floats, centre_and_error

_Z_POWER: Final = 0.8416212335729143
"""Standard normal quantile of 80%: how surely a true effect is to be seen."""

_LARGEST_GRID: Final = 50_000
"""Sums of differences are counted exactly where there are at most so many of them."""

_FLIPS: Final = 20_000
_SEED: Final = 20_241_101


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Return the two-sided exact p-value of McNemar's test (McNemar 1947).

    Of the evals on which two sides differ, ``only_first`` were passed by the first alone and
    ``only_second`` by the second alone. Were the sides equal, each such eval would be a fair coin:
    the p-value is the chance of a split at least this uneven.
    """
    tosses = only_first + only_second
    fewer = min(only_first, only_second)
    at_most = sum(math.comb(tosses, heads) for heads in range(fewer + 1))
    return min(1.0, 2 * at_most / 2**tosses)


def sign_flip(differences: Floats, unit: int | None) -> float:
    """Return the two-sided p-value of the sign-flip permutation test of a mean difference of 0.

    Were the sides equal, each eval's difference would be as likely with the other sign (Fisher
    1935): the p-value is the share of all choices of signs whose sum is at least as far from 0 as
    the one seen. ``unit`` is a whole number that makes every difference times it whole; with it
    the choices are counted exactly, else (None, or too many sums) 20,000 seeded ones are drawn and
    the one seen counts among them. For differences of -1, 0 and 1 it is McNemar's exact test.
    """
    sizes = np.abs(differences[differences != 0])
    if sizes.size == 0:
        return 1.0
    seen = abs(float(differences.sum()))
    if unit is not None and sizes.sum() * unit <= _LARGEST_GRID:
        return _exact(np.rint(sizes * unit).astype(np.int64).tolist(), round(seen * unit))
    return _drawn(sizes, seen)


def common_unit(*attempts: Iterable[int]) -> int | None:
    """Return a number that makes every pass rate over those attempts whole; None if it is huge."""
    unit = 1
    for count in sorted({one for each in attempts for one in each}):
        unit = math.lcm(unit, count)
        if unit > _LARGEST_GRID:
            return None
    return unit


def smallest_effect(differences: Floats) -> float:
    """Return the smallest true mean difference that would be seen 80 times in 100.

    (1.96 + 0.84) standard errors of the paired difference (Miller 2024, section 5, solved for the
    effect): with the spread between evals as it was observed, a true difference of this size has
    an interval that excludes 0 with a chance of 80%.
    """
    return (Z95 + _Z_POWER) * float(centre_and_error(differences)[1])


def _exact(sizes: Iterable[int], seen: int) -> float:
    """Count the choices of signs by what the positive ones add up to, in whole numbers.

    The counts stand side by side in one large number, in fields of ``bits`` bits that none of them
    fills: to give one more difference either sign is to add that number to itself, shifted.
    """
    given = [size for size in sizes if size]
    bits = len(given) + 1
    counts, total = 1, 0
    for size in sorted(given):
        counts += counts << bits * size
        total += size
    # A sum of positive ones p makes p - (total - p) in all: at least `seen` from here on. The other
    # direction has as many.
    at_least = counts >> bits * ((total + seen + 1) // 2)
    # Fields add up to the remainder by a field of ones.
    return min(1.0, 2 * (at_least % ((1 << bits) - 1)) / 2 ** len(given))


def _drawn(sizes: Floats, seen: float) -> float:
    flips = np.random.default_rng(_SEED).integers(0, 2, size=(_FLIPS, sizes.size), dtype=np.int8)
    sums = np.abs(((2 * flips - 1) * sizes).sum(axis=1))
    # Sums that are equal but for rounding count as equal.
    return float(1 + (sums >= seen - 1e-9).sum()) / (_FLIPS + 1)
