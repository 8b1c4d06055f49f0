"""P-values of many pairs of models, corrected together: step-down max-T by exchanged attempts.

The statistic of a pair is its mean difference over the evals in standard errors. If all models were
equal at each eval, any attempt at an eval could be any model's, and the numbers of passes would be
multivariate hypergeometric. Many such results are drawn. The largest observed statistic is compared
with the largest statistic of all pairs in each draw, the second largest with the largest of the
remaining pairs, and so on (Westfall and Young 1993). The pairs of a leaderboard depend on one
another; Holm's correction does not use this, so its ranges of ranks are wider.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from generator.scores.inputs import Counts, SideCounts
from generator.scores.intervals import Floats

Pair = tuple[int, int]
"""The indexes of two sides."""

_DRAWS: Final = 2_000
_AT_ONCE: Final = 125
"""The number of draws in memory at the same time."""
_SEED: Final = 20_261_126
_LEAST_VARIANCE: Final = 1e-6
"""The least variance of a pair's differences, for pairs that differ equally at every eval."""
_ROUNDING: Final = 1e-6
"""Statistics with a smaller difference count as equal."""


def compute_joint_p_values(
    sides: Sequence[SideCounts], pairs: Sequence[Pair], raw: Sequence[float]
) -> list[float]:
    """Return the corrected p-value of each of ``pairs``.

    If all sides are truly equal, any pair is below 0.05 at most 5 times in 100.

    Args:
        sides: at least two sides over the same evals.
        pairs: pairs of different sides, by their indexes.
        raw: the uncorrected p-values of the pairs; no result is smaller.
    """
    if len(pairs) < 2:  # noqa: PLR2004 - one pair has no other to be corrected for
        return list(raw)
    counts = [(side.passed.tolist(), side.judged.tolist()) for side in sides]
    # Sides and pairs are sorted, so that the same pairs have the same p-values in every table, and
    # are drawn once for ranks and comparisons.
    order = sorted(range(len(sides)), key=counts.__getitem__)
    number_of = {side: number for number, side in enumerate(order)}
    passed, judged = np.array([counts[side] for side in order], dtype=np.int32).swapaxes(0, 1)
    numbered = [tuple(sorted((number_of[first], number_of[other]))) for first, other in pairs]
    together = tuple(sorted(set(numbered)))
    stepped = _compute_step_down(passed.shape, passed.tobytes(), judged.tobytes(), together)
    by_pair = dict(zip(together, stepped.tolist(), strict=True))
    joint = [by_pair[pair] for pair in numbered]
    return np.clip(np.maximum(joint, raw), 0.0, 1.0).tolist()


@lru_cache(maxsize=16)
def _compute_step_down(
    shape: tuple[int, int], passed_bytes: bytes, judged_bytes: bytes, pairs: tuple[Pair, ...]
) -> Floats:
    """Return the step-down p-values; cached, since ranks and comparisons have the same pairs."""
    passed = np.frombuffer(passed_bytes, dtype=np.int32).reshape(shape)
    judged = np.frombuffer(judged_bytes, dtype=np.int32).reshape(shape)
    pair_indexes = np.array(pairs)
    seen = _compute_statistics((passed / judged)[None], pair_indexes)[0]
    order = np.argsort(-seen, kind="stable")
    ordered, threshold = pair_indexes[order], seen[order] - _ROUNDING
    reached = np.zeros(len(pairs))
    for means in _exchange_attempts(passed, judged):
        drawn = _compute_statistics(means, ordered)
        largest_left = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]
        reached += (largest_left >= threshold).sum(axis=0)
    shares = (1 + reached) / (_DRAWS + 1)
    # A standard error of the draws is added, so that chance in the draws separates no models.
    steps = np.maximum.accumulate(shares + np.sqrt(shares * (1 - shares) / _DRAWS))
    stepped = np.empty(len(pairs))
    # Equal statistics get the same p-value, the one of the last of them.
    stepped[order] = steps[np.searchsorted(-seen[order], -threshold, side="right") - 1]
    return stepped


def _exchange_attempts(passed: Counts, judged: Counts) -> Iterator[Floats]:
    """Yield pass rates after attempts were exchanged between models: draws x models x evals."""
    random = np.random.default_rng(_SEED)
    totals = passed.sum(axis=0)
    for _ in range(_DRAWS // _AT_ONCE):
        drawn = [
            random.multivariate_hypergeometric(attempts, total, size=_AT_ONCE)
            for attempts, total in zip(judged.T, totals, strict=True)
        ]
        yield np.stack(drawn, axis=-1) / judged


def _compute_statistics(means: Floats, pair_indexes: Counts) -> Floats:
    """Return the absolute difference of each pair in standard errors: draws x pairs."""
    first, second = pair_indexes.T
    sums = means.sum(axis=-1)
    products = means @ means.swapaxes(-1, -2)
    own = np.diagonal(products, axis1=-2, axis2=-1)
    squares = own[:, first] + own[:, second] - 2 * products[:, first, second]
    totals = sums[:, first] - sums[:, second]
    variances = np.maximum(squares - totals**2 / means.shape[-1], _LEAST_VARIANCE)
    return np.abs(totals) / np.sqrt(variances)
