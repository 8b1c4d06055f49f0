"""How an eval behaves: who passes it, how steadily, and whether it tells strong from weak."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from generator.scores.inputs import ScoredVersion
from generator.scores.intervals import Floats
from generator.scores.selection import Pool

_FEWEST_MODELS: Final = 3
"""A correlation over fewer models is always -1, 0 or 1 and says nothing."""
_MOST: Final = 0.5


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
    flips: int
    """How often a model's verdict changed from one run to its next (most attempts passed)."""
    chances_to_flip: int
    """Pairs of a model's runs one after the other."""
    correlation: float | None
    """Point-biserial: with the models' scores over all other evals, -1 to 1. None with fewer than
    three models, or where all models fare alike on this eval or on the others."""


def healths(version: ScoredVersion, pools: Sequence[Pool]) -> tuple[EvalHealth, ...]:
    """Return the health of every eval of ``version`` over ``pools``, baselines left out.

    Give the pools of one experiment, such as ``default``; empty where there is no model.
    """
    models = [one for one in pools if not one.baseline]
    if not models:
        return ()
    means = np.stack([one.means for one in models])
    correlations = rest_correlations(means)
    flips = np.stack([_flips(one) for one in models]).sum(axis=0)
    chances = sum(len(one.runs) - 1 for one in models)
    return tuple(
        EvalHealth(
            eval=name,
            pass_rate=float(means[:, place].mean()),
            models=len(models),
            rates=tuple(means[:, place].tolist()),
            solvers=tuple(one.slug for one in models if one.passed[place] > 0),
            flips=int(flips[place]),
            chances_to_flip=chances,
            correlation=None if np.isnan(correlations[place]) else float(correlations[place]),
        )
        for place, name in enumerate(version.evals)
    )


def rest_correlations(means: Floats) -> Floats:
    """Correlate each column of ``means`` (models x evals) with the mean of all other columns.

    Pearson's r, which is the point-biserial correlation where an eval is passed or failed; the
    eval itself is left out of the total, which it would otherwise correlate with by being in it
    (the corrected item-total correlation, Henrysson 1963). NaN where it is not defined.
    """
    models, evals = means.shape
    if models < _FEWEST_MODELS or evals == 1:
        return np.full(evals, np.nan)
    rest = (means.sum(axis=1, keepdims=True) - means) / (evals - 1)
    item = means - means.mean(axis=0)
    others = rest - rest.mean(axis=0)
    spread = np.sqrt((item**2).sum(axis=0) * (others**2).sum(axis=0))
    # Equal columns differ by rounding only once they are centred.
    defined = spread > 1e-12  # noqa: PLR2004
    together = (item * others).sum(axis=0)
    correlations = together / np.where(defined, spread, 1.0)
    return np.where(defined, np.clip(correlations, -1.0, 1.0), np.nan)


def _flips(one: Pool) -> NDArray[np.intp]:
    verdicts = np.stack([run.passed > _MOST * run.judged for run in one.runs])
    return (verdicts[1:] != verdicts[:-1]).sum(axis=0)
