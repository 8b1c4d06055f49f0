"""The health of evals: which models pass each, how steadily, and whether it separates models."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from generator.scores.differences.difference import LEVEL
from generator.scores.inputs import Pool, ScoredVersion
from generator.scores.intervals import Floats
from generator.scores.score_estimate import Share

FEWEST_MODELS = 10
"""With fewer models, a correlation depends mostly on which single model failed."""


class EvalHealth(NamedTuple):
    """The results of all models of a version at one eval."""

    eval: str
    """The eval's name."""
    pass_rate: float
    """The mean pass rate over models, each counted once however often it ran."""
    models: int
    """The number of models."""
    rates: tuple[float, ...]
    """The pass rate of each model, in the order of the pools."""
    solvers: tuple[str, ...]
    """The slugs of models that passed the eval at least once."""
    disagreement: float | None
    """How often two attempts by one model end differently, as a mean over the models with several
    attempts; None if no model has several."""
    repeated: int
    """The number of models with several attempts at the eval."""
    set_aside: int
    """The number of failed attempts that reports set aside."""
    correlation: float | None
    """The correlation of models' pass rates at this eval with their scores over all other evals,
    from -1 to 1. None with fewer than ten models, or if either is the same for all models."""
    reversed_p_value: float | None
    """The p-value of better models failing it more often, corrected for the number of evals; None
    without a correlation."""

    @property
    def is_suspect(self) -> bool:
        """Whether better models fail it more often, by more than chance."""
        return self.reversed_p_value is not None and self.reversed_p_value < LEVEL

    @property
    def share(self) -> Share:
        """The share of models that pass the eval, their pass rates added."""
        return Share(round(sum(self.rates), 9), self.models)

    @property
    def separates(self) -> bool:
        """Whether any two models have different pass rates."""
        return len(set(self.rates)) > 1


def compute_eval_healths(version: ScoredVersion, pools: Sequence[Pool]) -> tuple[EvalHealth, ...]:
    """Return the health of every eval over ``pools``, without baselines; empty without models.

    The pools should all be of one experiment, such as ``default``.
    """
    models = [pool for pool in pools if not pool.baseline]
    if not models:
        return ()
    means = np.stack([pool.means for pool in models])
    correlations, reversed_p_values = compute_rest_correlations(means)
    # The share of pairs of attempts at an eval that end differently, by model; 0 for one attempt.
    passed = np.stack([pool.passed for pool in models]).astype(np.float64)
    judged = np.stack([pool.judged for pool in models]).astype(np.float64)
    pairs = judged * (judged - 1) / 2
    differing = passed * (judged - passed) / np.maximum(pairs, 1)
    repeated = (pairs > 0).sum(axis=0)
    disagreement = differing.sum(axis=0) / np.maximum(repeated, 1)
    aside = np.stack([pool.set_aside for pool in models]).sum(axis=0)
    return tuple(
        EvalHealth(
            eval=name,
            pass_rate=float(means[:, number].mean()),
            models=len(models),
            rates=tuple(means[:, number].tolist()),
            solvers=tuple(pool.slug for pool in models if pool.passed[number] > 0),
            disagreement=float(disagreement[number]) if repeated[number] else None,
            repeated=int(repeated[number]),
            set_aside=int(aside[number]),
            correlation=None if np.isnan(correlations[number]) else float(correlations[number]),
            reversed_p_value=None
            if np.isnan(reversed_p_values[number])
            else float(reversed_p_values[number]),
        )
        for number, name in enumerate(version.evals)
    )


_ORDERS = 2_000
_SEED = 1963
_AT_ONCE = 100


def compute_rest_correlations(means: Floats) -> tuple[Floats, Floats]:
    """Return the correlation of each column of ``means`` (models x evals) with the other columns.

    It is Pearson's r of an eval's pass rates and the mean pass rates over all other evals. The
    eval itself is left out of that mean, because it would correlate with itself (the corrected
    item-total correlation, Henrysson 1963). NaN if it is not defined.

    The second array has the p-values of correlations below 0. The models exchange their pass rates
    at all evals together, in 2,000 random orders; p is how often the least correlation of any eval
    is then as low. So evals that have nothing to do with the others, or rise with them, have one
    below `LEVEL` on at most 5 boards of 100 (Westfall and Young 1993).
    """
    models, evals = means.shape
    correlations, p_values = np.full(evals, np.nan), np.full(evals, np.nan)
    if models < FEWEST_MODELS or evals == 1:
        return correlations, p_values
    other_means = (means.sum(axis=1, keepdims=True) - means) / (evals - 1)
    item = means - means.mean(axis=0)
    centred = other_means - other_means.mean(axis=0)
    spread = np.sqrt((item**2).sum(axis=0) * (centred**2).sum(axis=0))
    # The spread of a constant column is 0 except for rounding errors.
    defined = spread > 1e-12  # noqa: PLR2004
    if not defined.any():
        return correlations, p_values
    item, centred = item[:, defined], centred[:, defined] / spread[defined]
    correlations[defined] = np.clip((item * centred).sum(axis=0), -1.0, 1.0)
    dice = np.random.default_rng(_SEED)
    places = np.broadcast_to(np.arange(models, dtype=np.intp), (_ORDERS, models))
    orders = dice.permuted(places, axis=1)
    least = np.concatenate(
        [
            (item[orders[start : start + _AT_ONCE]] * centred).sum(axis=1).min(axis=1)
            for start in range(0, _ORDERS, _AT_ONCE)
        ]
    )
    # The real order is one of them; sums that differ only by rounding count as equal.
    as_low = (least[:, None] <= correlations[defined] + 1e-9).sum(axis=0)
    p_values[defined] = (1 + as_low) / (1 + _ORDERS)
    return correlations, p_values
