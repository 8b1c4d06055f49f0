"""The effect of the guidelines: each model's runs with guidelines against its runs without."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generator.scores.differences.difference import (
    Conclusion,
    PairedDifference,
    compare_sides,
    compute_p_value,
    compute_smallest_effect,
    correct_by_holm,
    draw_conclusion,
    find_moved,
)
from generator.scores.inputs import Pool, ScoredVersion, SideCounts
from generator.scores.intervals import Floats, Interval, compute_difference_interval
from generator.scores.score_estimate import compute_attributed_difference
from records.suites.experiments import DEFAULT, NO_GUIDELINES

_SHOWN: Final = frozenset({Conclusion.BETTER, Conclusion.WORSE})


@dataclass(frozen=True, slots=True)
class PairedChange:
    """The change of one model's results by the guidelines: in all evals, a category or section."""

    difference: float
    """The pass rate with the guidelines minus the pass rate without; mean over evals, from -1 to 1.
    """
    interval: Interval
    """The 95% interval of the difference."""
    evals: int
    """The number of evals over which the difference is the mean."""
    fixed: tuple[str, ...]
    """The evals at which a higher share of attempts passes with the guidelines."""
    broken: tuple[str, ...]
    """The evals at which a higher share of attempts passes without the guidelines."""

    @property
    def unchanged_evals(self) -> int:
        """The number of evals that are neither fixed nor broken."""
        return self.evals - len(self.fixed) - len(self.broken)


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
    change: PairedChange
    """The difference over all evals."""
    p_value: float
    """Two-sided p-value of the hypothesis that the guidelines change nothing, over all evals."""
    conclusion: Conclusion
    """The conclusion about the guidelines, over all evals."""
    attributed: PairedDifference | None
    """The difference without the failures that reports set aside. None if no run has a report, or
    no eval has an attempt left on both sides."""
    categories: Mapping[str, PairedChange]
    """The change in each category, sorted by name."""
    sections: Mapping[str, PairedChange]
    """The change in each section of the guidelines, sorted by name. An eval counts in every section
    that it exercises."""

    @property
    def smallest_effect(self) -> float | None:
        """The smallest share of fixed evals that the test would notice 80 times in 100.

        None in the cases that `differences.power.compute_smallest_effect` lists.
        """
        return compute_smallest_effect(self.without.side, self.with_them.side)


@dataclass(frozen=True, slots=True)
class EffectPart:
    """The mean effect of the guidelines on several models over some evals."""

    difference: float
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
    uncorrected: float | None = None
    """The p-value before the correction for the number of categories and sections; None for the
    effect without failures set aside, which is never corrected."""

    @property
    def conclusion(self) -> Conclusion:
        """The conclusion about the guidelines."""
        if self.p_value is None:
            return Conclusion.TOO_FEW
        return draw_conclusion(self.difference, self.evals, self.p_value)


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


def compute_guidelines_effect(
    version: ScoredVersion, with_them: Pool, without: Pool
) -> GuidelinesEffect:
    """Return the effect of the guidelines on one model."""

    def compute_change(indexes: NDArray[np.intp]) -> PairedChange:
        first, second = without.side.select_evals(indexes), with_them.side.select_evals(indexes)
        changes = second.means - first.means
        fixed, broken = find_moved(first, second)
        return PairedChange(
            difference=float(changes.mean()),
            interval=compute_difference_interval(changes),
            evals=int(changes.size),
            fixed=tuple(version.evals[int(indexes[at])] for at in fixed),
            broken=tuple(version.evals[int(indexes[at])] for at in broken),
        )

    paired = compare_sides(without.side, with_them.side)
    return GuidelinesEffect(
        slug=with_them.slug,
        baseline=with_them.baseline,
        with_them=with_them,
        without=without,
        change=compute_change(np.arange(len(version.evals))),
        p_value=paired.p_value,
        conclusion=paired.conclusion,
        attributed=compute_attributed_difference(without, with_them),
        categories={name: compute_change(indexes) for name, indexes in version.by_category.items()},
        sections={name: compute_change(indexes) for name, indexes in version.by_section.items()},
    )


def compute_guidelines_effects(
    version: ScoredVersion, pools: Sequence[Pool]
) -> tuple[GuidelinesEffect, ...]:
    """Return the effect on each model that ran with and without them, the largest effect first."""
    without_by_slug = {pool.slug: pool for pool in pools if pool.experiment == NO_GUIDELINES}
    effects = [
        compute_guidelines_effect(version, pool, without_by_slug[pool.slug])
        for pool in pools
        if pool.experiment == DEFAULT and pool.slug in without_by_slug
    ]
    return tuple(sorted(effects, key=lambda effect: (-effect.change.difference, effect.slug)))


def compute_overall_effect(
    version: ScoredVersion, effects: Sequence[GuidelinesEffect]
) -> OverallEffect | None:
    """Return the mean effect on the models, baselines left out; None if no model is left."""
    models = [effect for effect in effects if not effect.baseline]
    if not models:
        return None
    both = _BothSides.from_effects(models)
    parts = [*version.by_category.items(), *version.by_section.items()]
    corrected = _correct_parts([both.compute_part(indexes) for _, indexes in parts])
    by_name = [(name, part) for (name, _), part in zip(parts, corrected, strict=True)]
    categories = len(version.by_category)
    return OverallEffect(
        models=tuple(effect.slug for effect in models),
        whole=both.compute_part(np.arange(len(version.evals))),
        attributed=_compute_attributed_part(models, both),
        categories=dict(by_name[:categories]),
        sections=dict(by_name[categories:]),
    )


def find_certain_effects(effects: Sequence[GuidelinesEffect]) -> frozenset[str]:
    """Return the slugs of the models on which the effect is more than chance.

    Baselines are left out. The p-values are corrected for the number of models.
    """
    models = [effect for effect in effects if not effect.baseline]
    corrected = correct_by_holm([effect.p_value for effect in models])
    return frozenset(
        effect.slug
        for effect, p in zip(models, corrected, strict=True)
        if draw_conclusion(effect.change.difference, effect.change.evals, p) in _SHOWN
    )


class _BothSides(NamedTuple):
    """The passes and attempts of all models on both sides, in arrays of models x evals."""

    first: SideCounts
    """The counts without the guidelines."""
    second: SideCounts
    """The counts with the guidelines."""

    @classmethod
    def from_effects(cls, models: Sequence[GuidelinesEffect]) -> "_BothSides":
        sides = [[model.without for model in models], [model.with_them for model in models]]
        return cls(
            *(
                SideCounts(
                    np.stack([pool.passed for pool in pools]),
                    np.stack([pool.judged for pool in pools]),
                )
                for pools in sides
            )
        )

    def compute_part(self, indexes: NDArray[np.intp]) -> EffectPart:
        """Return the mean effect on the models at the evals with these ``indexes``.

        Its p-value is the larger of two, as the module `differences.difference` explains. The
        exchange test exchanges attempts only within one model and eval. It counts all possible
        sums, or draws some of them at random if there are too many.
        """
        changes: Floats = (self.second.means - self.first.means).mean(axis=0)[indexes]
        flat = [
            SideCounts(side.passed[:, indexes].ravel(), side.judged[:, indexes].ravel())
            for side in self
        ]
        p = compute_p_value(changes, *flat)
        return EffectPart(
            difference=float(changes.mean()),
            interval=compute_difference_interval(changes),
            evals=int(indexes.size),
            p_value=p,
            uncorrected=p,
        )


def _compute_attributed_part(
    models: Sequence[GuidelinesEffect], both: _BothSides
) -> EffectPart | None:
    """Return the mean effect without the failures that reports set aside on either side.

    If a model has no attempt at an eval left on a side, the eval's mean leaves the model out. An
    eval without any model is left out of the effect. None if no run has a report, or no eval is
    left.
    """
    pools_by_side = [[model.without for model in models], [model.with_them for model in models]]
    if not any(run.reported for pools in pools_by_side for pool in pools for run in pool.runs):
        return None
    attempts = [
        side.judged - np.stack([pool.set_aside for pool in pools])
        for side, pools in zip(both, pools_by_side, strict=True)
    ]
    has_attempts = (attempts[0] > 0) & (attempts[1] > 0)
    if not has_attempts.any():
        return None
    rates = [
        side.passed / np.maximum(remaining, 1)
        for side, remaining in zip(both, attempts, strict=True)
    ]
    models_by_eval = has_attempts.sum(axis=0)
    sums = ((rates[1] - rates[0]) * has_attempts).sum(axis=0)
    changes: Floats = sums[models_by_eval > 0] / models_by_eval[models_by_eval > 0]
    flat = [
        SideCounts(side.passed[has_attempts], remaining[has_attempts])
        for side, remaining in zip(both, attempts, strict=True)
    ]
    return EffectPart(
        difference=float(changes.mean()),
        interval=compute_difference_interval(changes),
        evals=int(changes.size),
        p_value=compute_p_value(changes, *flat),
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
