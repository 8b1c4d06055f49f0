"""The effect of the guidelines: each model's runs with guidelines against its runs without."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from generator.scores.differences.difference import (
    Conclusion,
    PairedDifference,
    compare_sides,
    compute_p_value,
    compute_smallest_effect,
    correct_by_holm,
    draw_conclusion,
)
from generator.scores.inputs import Pool, ScoredVersion, SideCounts
from generator.scores.intervals import Floats, Interval, compute_difference_interval
from generator.scores.score_estimate import compute_attributed_difference
from records.suites.experiments import DEFAULT, NO_GUIDELINES

_SHOWN: Final = frozenset({Conclusion.BETTER, Conclusion.WORSE})


@dataclass(frozen=True, eq=False)
class GuidelinesEffect:
    """The effect of the guidelines on one model."""

    slug: str
    """The slug of the model."""
    baseline: bool
    """Whether the model is a baseline."""
    with_them: Pool
    """The model's runs with the guidelines."""
    without: Pool
    """The model's runs without the guidelines."""
    difference: PairedDifference
    """The pass rate with the guidelines minus the pass rate without, over all evals."""
    fixed: tuple[str, ...]
    """The evals at which a higher share of attempts passes with the guidelines."""
    broken: tuple[str, ...]
    """The evals at which a higher share of attempts passes without the guidelines."""
    attributed: PairedDifference | None
    """The difference without the failures that reports set aside. None if no run has a report, or
    no eval has an attempt left on both sides."""

    @property
    def smallest_effect(self) -> float | None:
        """The smallest share of fixed evals that the test would notice 80 times in 100.

        None in the cases that `compute_smallest_effect` lists.
        """
        return compute_smallest_effect(self.without.side, self.with_them.side)


@dataclass(frozen=True, slots=True)
class EffectPart:
    """The mean effect of the guidelines on several models over some evals."""

    value: float
    """The mean difference of the models at an eval; mean over evals, from -1 to 1."""
    interval: Interval
    """The 95% interval of the difference. The evals are a sample of a population of evals; the
    models are not a sample of other models."""
    evals: int
    """The number of evals over which the difference is the mean."""
    p_value: float | None
    """Two-sided p-value of the hypothesis that the guidelines change nothing. For a category or
    section it is corrected for the number of categories and sections. A category or section with
    too few evals to show any difference has None, and does not count in that number."""
    uncorrected: float
    """The p-value before the correction for the number of categories and sections."""

    @property
    def conclusion(self) -> Conclusion:
        """The conclusion about the guidelines."""
        if self.p_value is None:
            return Conclusion.TOO_FEW
        return draw_conclusion(self.value, self.evals, self.p_value)


@dataclass(frozen=True, slots=True)
class OverallEffect:
    """The mean effect of the guidelines on all models that ran with and without them.

    Baselines are left out.
    """

    models: tuple[str, ...]
    """The slugs of the models."""
    whole: EffectPart
    """The effect over all evals."""
    attributed: EffectPart | None
    """The effect without the failures that reports set aside. None if no run has a report, or no
    eval has attempts of a model left on both sides."""
    categories: Mapping[str, EffectPart]
    """The effect in each category, sorted by name."""
    sections: Mapping[str, EffectPart]
    """The effect in each section of the guidelines, sorted by name. An eval counts in every section
    that it exercises."""


def compute_guidelines_effects(
    version: ScoredVersion, pools: Sequence[Pool]
) -> tuple[GuidelinesEffect, ...]:
    """Return the effect on each model that ran with and without them, the largest effect first."""
    without_by_slug = {pool.slug: pool for pool in pools if pool.experiment == NO_GUIDELINES}
    effects: list[GuidelinesEffect] = []
    for pool in pools:
        if pool.experiment == DEFAULT and pool.slug in without_by_slug:
            without = without_by_slug[pool.slug]
            paired = compare_sides(without.side, pool.side)
            effects.append(
                GuidelinesEffect(
                    slug=pool.slug,
                    baseline=pool.baseline,
                    with_them=pool,
                    without=without,
                    difference=paired,
                    fixed=tuple(version.evals[at] for at in paired.fixed),
                    broken=tuple(version.evals[at] for at in paired.broken),
                    attributed=compute_attributed_difference(without, pool),
                )
            )
    return tuple(sorted(effects, key=lambda effect: (-effect.difference.value, effect.slug)))


def compute_overall_effect(
    version: ScoredVersion, effects: Sequence[GuidelinesEffect]
) -> OverallEffect | None:
    """Return the mean effect on the models, baselines left out; None if no model is left."""
    models = [effect for effect in effects if not effect.baseline]
    if not models:
        return None
    pools = [[model.without for model in models], [model.with_them for model in models]]
    sides = [
        SideCounts(
            np.stack([pool.passed for pool in some]), np.stack([pool.judged for pool in some])
        )
        for some in pools
    ]
    left = [
        SideCounts(side.passed, side.judged - np.stack([pool.set_aside for pool in some]))
        for side, some in zip(sides, pools, strict=True)
    ]
    is_reported = any(run.reported for some in pools for pool in some for run in pool.runs)
    has_left = ((left[0].judged > 0) & (left[1].judged > 0)).any()
    parts = [*version.by_category.items(), *version.by_section.items()]
    corrected = _correct_parts(
        [
            _compute_mean_effect(
                *(SideCounts(side.passed[:, of], side.judged[:, of]) for side in sides)
            )
            for _, of in parts
        ]
    )
    by_name = [(name, part) for (name, _), part in zip(parts, corrected, strict=True)]
    categories = len(version.by_category)
    return OverallEffect(
        models=tuple(effect.slug for effect in models),
        whole=_compute_mean_effect(*sides),
        attributed=_compute_mean_effect(*left) if is_reported and has_left else None,
        categories=dict(by_name[:categories]),
        sections=dict(by_name[categories:]),
    )


def _compute_mean_effect(first: SideCounts, second: SideCounts) -> EffectPart:
    """Return the mean effect on the models; counts are models x evals.

    If a model has no attempt at an eval left on a side, the eval's mean leaves the model out. An
    eval without any model is left out of the effect. The p-value is the larger of two, as the
    module `differences.difference` explains. The exchange test exchanges attempts only within one
    model and eval. It counts all possible sums, or draws some of them at random if there are too
    many.
    """
    has_attempts = (first.judged > 0) & (second.judged > 0)
    models = has_attempts.sum(axis=0)
    before, after = (side.passed / np.maximum(side.judged, 1) for side in (first, second))
    sums = ((after - before) * has_attempts).sum(axis=0)
    changes: Floats = sums[models > 0] / models[models > 0]
    flat = [
        SideCounts(side.passed[has_attempts], side.judged[has_attempts]) for side in (first, second)
    ]
    p = compute_p_value(changes, *flat)
    return EffectPart(
        value=float(changes.mean()),
        interval=compute_difference_interval(changes),
        evals=int(changes.size),
        p_value=p,
        uncorrected=p,
    )


def find_certain_effects(effects: Sequence[GuidelinesEffect]) -> frozenset[str]:
    """Return the slugs of the models on which the effect is more than chance.

    Baselines are left out. The p-values are corrected for the number of models.
    """
    models = [effect for effect in effects if not effect.baseline]
    corrected = correct_by_holm([effect.difference.p_value for effect in models])
    return frozenset(
        effect.slug
        for effect, p in zip(models, corrected, strict=True)
        if draw_conclusion(effect.difference.value, effect.difference.evals, p) in _SHOWN
    )


def _correct_parts(parts: Sequence[EffectPart]) -> list[EffectPart]:
    """Return the parts with p-values that are corrected for the number of parts.

    A part with too few evals to show a difference gets the p-value None, and does not count in the
    number of parts.
    """
    raw = [None if part.conclusion is Conclusion.TOO_FEW else part.p_value for part in parts]
    corrected = iter(correct_by_holm([p for p in raw if p is not None]))
    return [
        replace(part, p_value=None if p is None else next(corrected))
        for part, p in zip(parts, raw, strict=True)
    ]
