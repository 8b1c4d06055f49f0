"""Measures of evals: who passes each, how steadily, and whether it separates strong from weak."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from generator.scores.attribution import set_aside
from generator.scores.inputs import ScoredVersion
from generator.scores.intervals import Floats
from generator.scores.run_selection import Pool

FEWEST_MODELS: Final = 10
"""A correlation over fewer models is mostly set by which model failed."""


@dataclass(frozen=True, slots=True)
class EvalHealth:
    """One eval over the models that a version compares."""

    eval: str
    """Its name."""
    pass_rate: float
    """Mean over models, each counting once however often it was run."""
    models: int
    """Models it is the mean over."""
    rates: tuple[float, ...]
    """Pass rate of each model, in the order given."""
    solvers: tuple[str, ...]
    """Models that passed it at least once."""
    disagreement: float | None
    """How often two attempts by one model end differently, in the mean over the models with several
    attempts; None where there is none."""
    repeated: int
    """Models with several attempts at it."""
    set_aside: int
    """Failed attempts of these models that reports do not hold against them."""
    correlation: float | None
    """With the models' scores over all other evals, -1 to 1. None with fewer than ten models, or
    where all models fare alike on this eval or on the others."""

    @property
    def separates(self) -> bool:
        """Two models fare differently at it."""
        return len(set(self.rates)) > 1


def healths(version: ScoredVersion, pools: Sequence[Pool]) -> tuple[EvalHealth, ...]:
    """Return the health of every eval of ``version`` over ``pools``, baselines left out.

    Give the pools of one experiment, such as ``default``; empty where there is no model.
    """
    models = [pool for pool in pools if not pool.baseline]
    if not models:
        return ()
    means = np.stack([pool.means for pool in models])
    correlations = rest_correlations(means)
    disagreements = np.stack([_disagreement(pool) for pool in models])
    is_known = ~np.isnan(disagreements)
    repeated = is_known.sum(axis=0)
    disagreement = np.where(is_known, disagreements, 0.0).sum(axis=0) / np.maximum(repeated, 1)
    aside = np.stack([set_aside(pool) for pool in models]).sum(axis=0)
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
        )
        for number, name in enumerate(version.evals)
    )


def rest_correlations(means: Floats) -> Floats:
    """Correlate each column of ``means`` (models x evals) with the mean of all other columns.

    Pearson's r of pass rates; the eval itself is left out of the total, which it would otherwise
    correlate with by being in it
    (the corrected item-total correlation, Henrysson 1963). NaN where it is not defined.
    """
    models, evals = means.shape
    if models < FEWEST_MODELS or evals == 1:
        return np.full(evals, np.nan)
    other_means = (means.sum(axis=1, keepdims=True) - means) / (evals - 1)
    item = means - means.mean(axis=0)
    centred = other_means - other_means.mean(axis=0)
    spread = np.sqrt((item**2).sum(axis=0) * (centred**2).sum(axis=0))
    # Equal columns differ by rounding only once they are centred.
    defined = spread > 1e-12  # noqa: PLR2004
    together = (item * centred).sum(axis=0)
    correlations = together / np.where(defined, spread, 1.0)
    return np.where(defined, np.clip(correlations, -1.0, 1.0), np.nan)


def _disagreement(one: Pool) -> Floats:
    """Return the share of pairs of attempts that end differently, by eval; NaN with one attempt."""
    passed, judged = one.passed.astype(np.float64), one.judged.astype(np.float64)
    pairs = judged * (judged - 1) / 2
    return np.where(pairs > 0, passed * (judged - passed) / np.maximum(pairs, 1), np.nan)
