"""The exact test that exchanges attempts between two sides within each eval.

If the attempts of both sides at each eval are equally likely to pass, any of them could be the
first side's. Then the number of passes of the second side at each eval is hypergeometric (Fisher
1935). The p-value is the chance of a sum of differences at least as far from 0 as the observed sum.
Its rate of errors is never above the level, even if the sides have different numbers of attempts.
For single attempts it is McNemar's exact test, for one eval Fisher's exact test.

Evals with the same numbers of attempts form a block. The sum of a block's differences depends on
one whole number, the passes of the second side, whose distribution is a convolution over evals. The
convolution is computed as a product of Fourier transforms, for many pairs of sides at once.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from generator.scores.inputs import Counts, SideCounts
from generator.scores.intervals import Floats

SMALLEST_P = 1e-12
"""Smaller p-values become this value, because a transform is exact to about 1e-15."""

_AT_ONCE = 512
"""The number of pairs whose transforms are in memory at the same time."""
_LONGEST_GRID = 1 << 20
"""The most points of a common grid of blocks; with more, sums are drawn at random."""
_DRAWS = 20_000
_SEED = 20_261_124
_LEAST_SIZE = 1e-300
"""The value that replaces zeros of a transform, which have no logarithm."""


def compute_exchange_p_values(
    first_passed: Counts, first_judged: int, second_passed: Counts, second_judged: int
) -> Floats:
    """Return the two-sided p-value of each pair of sides.

    Args:
        first_passed: passes of the first sides, of shape (pairs, evals).
        first_judged: number of attempts at each eval, at least 1.
        second_passed: passes of the second sides, of the same shape.
        second_judged: as ``first_judged``, for the second sides.
    """
    p_values = np.empty(len(first_passed))
    for start in range(0, len(first_passed), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        block = _Block.from_counts(
            first_passed[part], first_judged, second_passed[part], second_judged
        )
        sums = np.arange(block.chances.shape[1], dtype=np.int32)
        far = np.abs(block.sum_differences(sums)) >= np.abs(
            block.sum_differences(block.seen[:, None])
        )
        p_values[part] = (block.chances * far).sum(axis=1)
    return np.clip(p_values, SMALLEST_P, 1.0)


def compute_exchange_p_value(first: SideCounts, second: SideCounts) -> float:
    """Return the two-sided p-value of one pair of sides, with any numbers of attempts at each eval.

    The sums over blocks are counted exactly if their common grid has at most a million points.
    Otherwise 20,000 sums are drawn with a fixed seed, and the observed sum is added to them.
    """
    counts = first.passed, first.judged, second.passed, second.judged
    return _compute_cached_p_value(*(count.astype(np.int32).tobytes() for count in counts))


@lru_cache(maxsize=1 << 10)
def _compute_cached_p_value(*counts: bytes) -> float:
    """Return the p-value of two sides, whose 32-bit counts are given as bytes.

    Cached, because a sum of blocks takes up to 0.2 s, and during a preview a changed record changes
    the sides of only one model.
    """
    first_passed, first_judged, second_passed, second_judged = (
        np.frombuffer(count, dtype=np.int32) for count in counts
    )
    sizes = np.stack([first_judged, second_judged], axis=1)
    kinds = np.unique(sizes, axis=0)
    blocks: list[_Block] = []
    for kind in kinds:
        is_of_kind = (sizes == kind).all(axis=1)
        n, m = map(int, kind)
        first, second = (passed[is_of_kind][None] for passed in (first_passed, second_passed))
        blocks.append(_Block.from_counts(first, n, second, m))
    unit = math.lcm(*(size for item in blocks for size in (item.first, item.second)))
    steps = [unit // item.first + unit // item.second for item in blocks]
    longest = 1 + sum(
        step * (item.chances.shape[1] - 1) for step, item in zip(steps, blocks, strict=True)
    )
    if longest <= _LONGEST_GRID:
        return _count_exactly(blocks, steps, unit)
    # Else an estimate, from passes of each block drawn by their distribution.
    random = np.random.default_rng(_SEED)
    sums, seen = np.zeros(_DRAWS), 0.0
    for block in blocks:
        chances = block.chances[0] / block.chances[0].sum()
        drawn = random.choice(chances.size, size=_DRAWS, p=chances).astype(np.int32)
        scale = block.first * block.second
        sums += block.sum_differences(drawn[None])[0] / scale
        seen += float(block.sum_differences(block.seen[:, None])[0, 0]) / scale
    # Sums that differ only by rounding count as equal.
    return float(1 + (np.abs(sums) >= abs(seen) - 1e-9).sum()) / (_DRAWS + 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Pairs of sides over evals with the same numbers of attempts.

    Evals that all attempts of both sides pass, or none, are left out of the sums.
    """

    first: int
    """The number of attempts of the first side at each eval."""
    second: int
    """The number of attempts of the second side at each eval."""
    passes: Counts
    """The passes of both sides together, by pair."""
    seen: Counts
    """The observed passes of the second side, by pair."""
    chances: Floats
    """The probability of each number of passes of the second side, pairs x passes from 0."""

    @classmethod
    def from_counts(cls, first_passed: Counts, n: int, second_passed: Counts, m: int) -> "_Block":
        both = first_passed + second_passed
        # If all attempts of both sides pass an eval, or none, an exchange changes nothing.
        mixed = (both > 0) & (both < n + m)
        kinds = n + m + 1
        cells = np.bincount(
            (both + kinds * np.arange(len(both))[:, None]).ravel(), minlength=kinds * len(both)
        )
        times = cells.reshape(len(both), kinds)[:, 1:-1]
        longest = m * int(mixed.sum(axis=1).max(initial=0)) + 1
        size = 1 << (longest - 1).bit_length()
        single = np.array([_compute_hypergeometric(passes, n, m) for passes in range(1, n + m)])
        transformed = np.fft.rfft(single, size)
        logs = np.log(np.maximum(np.abs(transformed), _LEAST_SIZE)) + 1j * np.angle(transformed)
        chances = np.fft.irfft(np.exp(times @ logs), size)[:, :longest]
        return cls(
            first=n,
            second=m,
            passes=np.where(mixed, both, 0).sum(axis=1, dtype=np.int32),
            seen=np.where(mixed, second_passed, 0).sum(axis=1, dtype=np.int32),
            chances=np.maximum(chances, 0.0),
        )

    def sum_differences(self, passes: Counts) -> Counts:
        """Return the sum of differences for numbers of passes of the second side, times n m."""
        return (self.first + self.second) * passes - self.second * self.passes[:, None]


def _compute_hypergeometric(passes: int, n: int, m: int) -> Floats:
    """Return the probabilities that 0 to m of ``passes`` belong to m of n + m attempts."""
    ways = [
        math.comb(m, later) * math.comb(n, passes - later) for later in range(min(m, passes) + 1)
    ]
    total = math.comb(n + m, passes)
    return np.array([*(each / total for each in ways), *[0.0] * (m + 1 - len(ways))])


def _count_exactly(blocks: Sequence[_Block], steps: Sequence[int], unit: int) -> float:
    """Return the exact p-value.

    All blocks but the longest are convolved on a common grid, on which the sum of differences times
    ``unit`` is a whole number. Of the longest, only the chances to reach a sum are needed.
    """
    by_length = sorted(
        zip(blocks, steps, strict=True), key=lambda each: each[1] * each[0].chances.shape[1]
    )
    offset = -sum(unit // block.first * int(block.passes[0]) for block in blocks)
    seen = sum(step * int(block.seen[0]) for block, step in by_length)
    *others, (longest, stride) = by_length
    chances = np.ones(1)
    for block, step in others:
        # Sums of shifted copies: blocks have few passes, so this is quicker than a transform.
        convolved = np.zeros(len(chances) + step * (block.chances.shape[1] - 1))
        for passes, chance in enumerate(block.chances[0].tolist()):
            convolved[step * passes : step * passes + len(chances)] += chance * chances
        chances = convolved
    sums, limit = np.arange(len(chances)) + offset, abs(seen + offset)
    fewer = np.concatenate([[0.0], np.cumsum(longest.chances[0])])  # the chance of fewer passes
    most = len(fewer) - 1
    above = fewer[-1] - fewer[np.clip(-((sums - limit) // stride), 0, most)]
    below = fewer[np.clip((-limit - sums) // stride + 1, 0, most)]
    return float(np.clip((chances * (above + below)).sum(), SMALLEST_P, 1.0))
