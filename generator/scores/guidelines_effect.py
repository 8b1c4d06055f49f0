"""The effect of the guidelines: each model with them is compared with itself without them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generator.scores.attribution import attributed_difference, set_aside
from generator.scores.differences.difference import (
    Conclusion,
    PairedDifference,
    compare_sides,
    conclusion,
    find_moved,
    holm,
    p_value,
)
from generator.scores.differences.power import smallest_effect
from generator.scores.inputs import ScoredVersion, SideCounts
from generator.scores.intervals import Floats, Interval, difference_interval
from generator.scores.run_selection import Pool, Selection
from records.suites.experiments import DEFAULT, NO_GUIDELINES

_SHOWN: Final = frozenset({Conclusion.BETTER, Conclusion.WORSE})


@dataclass(frozen=True, slots=True)
class PairedChange:
    """The change by the guidelines for one model, over all evals, a category or a section."""

    difference: float
    """Mean over the evals of the pass rate with the guidelines less without, from -1 to 1."""
    interval: Interval
    """The 95% interval of the difference."""
    evals: int
    """The number of evals over which the difference is the mean."""
    fixed: tuple[str, ...]
    """The evals at which a higher share of attempts passes with the guidelines."""
    broken: tuple[str, ...]
    """The evals at which a higher share of attempts passes without the guidelines."""

    @property
    def same(self) -> int:
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
    """Two-sided p-value of no difference at all, over all evals."""
    conclusion: Conclusion
    """The conclusion about the guidelines, over all evals."""
    attributed: PairedDifference | None
    """The difference without the failures that reports set aside; None without a report."""
    categories: Mapping[str, PairedChange]
    """The differences by category, sorted."""
    sections: Mapping[str, PairedChange]
    """The differences by section of the guidelines, sorted; an eval is in each section that it
    exercises."""

    @property
    def smallest_effect(self) -> float | None:
        """The least share of fixed evals that would be noticed 80 times in 100; see `power`."""
        return smallest_effect(self.without.side, self.with_them.side)


@dataclass(frozen=True, slots=True)
class EffectPart:
    """The mean effect of the guidelines on several models over some evals."""

    difference: float
    """Mean over the evals of the mean difference over models, from -1 to 1."""
    interval: Interval
    """The 95% interval over the population of evals, for exactly these models."""
    evals: int
    """The number of evals over which the difference is the mean."""
    p_value: float | None
    """Two-sided p-value of no difference at all. The p-value of a category or section is corrected
    for the number of categories and sections; it is None, and not counted, if the evals are too few
    to show any difference.
    """
    uncorrected: float | None = None
    """The p-value before the correction for categories and sections."""

    @property
    def conclusion(self) -> Conclusion:
        """The conclusion about the guidelines."""
        if self.p_value is None:
            return Conclusion.TOO_FEW
        return conclusion(self.difference, self.evals, self.p_value)


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
    """The effect without the failures that reports set aside; None without a report."""
    categories: Mapping[str, EffectPart]
    """The effects by category, sorted."""
    sections: Mapping[str, EffectPart]
    """The effects by section of the guidelines, sorted; an eval is in each section that it
    exercises."""


def guidelines_effect(version: ScoredVersion, with_them: Pool, without: Pool) -> GuidelinesEffect:
    """Return the effect of the guidelines on one model."""

    def change(places: NDArray[np.intp]) -> PairedChange:
        return _change(version, without.side, with_them.side, places)

    paired = compare_sides(without.side, with_them.side)
    return GuidelinesEffect(
        slug=with_them.slug,
        baseline=with_them.baseline,
        with_them=with_them,
        without=without,
        change=change(np.arange(len(version.evals))),
        p_value=paired.p_value,
        conclusion=paired.conclusion,
        attributed=attributed_difference(without, with_them),
        categories={name: change(places) for name, places in version.by_category.items()},
        sections={name: change(places) for name, places in version.by_section.items()},
    )


def guidelines_effects(
    version: ScoredVersion,
    selection: Selection,
    *,
    with_them: str = DEFAULT,
    without: str = NO_GUIDELINES,
) -> tuple[GuidelinesEffect, ...]:
    """Return the effect on every model that ran under both experiments, largest first."""
    second = {pool.slug: pool for pool in selection.pools if pool.experiment == without}
    effects = [
        guidelines_effect(version, pool, second[pool.slug])
        for pool in selection.pools
        if pool.experiment == with_them and pool.slug in second
    ]
    return tuple(sorted(effects, key=lambda pool: (-pool.change.difference, pool.slug)))


def overall_effect(
    version: ScoredVersion, effects: Sequence[GuidelinesEffect]
) -> OverallEffect | None:
    """Return the mean of the effects over models; None without any model except baselines."""
    models = [effect for effect in effects if not effect.baseline]
    if not models:
        return None
    both = _Both.of(models)
    parts = [*version.by_category.items(), *version.by_section.items()]
    corrected = _correct_parts([both.part(places) for _, places in parts])
    by_name = [(name, part) for (name, _), part in zip(parts, corrected, strict=True)]
    categories = len(version.by_category)
    return OverallEffect(
        models=tuple(effect.slug for effect in models),
        whole=both.part(np.arange(len(version.evals))),
        attributed=_attributed_part(models, both),
        categories=dict(by_name[:categories]),
        sections=dict(by_name[categories:]),
    )


def find_certain_effects(effects: Sequence[GuidelinesEffect]) -> frozenset[str]:
    """Return the models, without baselines, whose effects are more than noise.

    The p-values are corrected for the number of models.
    """
    models = [effect for effect in effects if not effect.baseline]
    corrected = holm([effect.p_value for effect in models])
    return frozenset(
        effect.slug
        for effect, p in zip(models, corrected, strict=True)
        if conclusion(effect.change.difference, effect.change.evals, p) in _SHOWN
    )


class _Both(NamedTuple):
    """The passes and attempts of all models under both conditions, models x evals."""

    first: SideCounts
    second: SideCounts

    @classmethod
    def of(cls, models: Sequence[GuidelinesEffect]) -> "_Both":
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

    def part(self, places: NDArray[np.intp]) -> EffectPart:
        """Return the mean effect over models at some evals.

        The exact test exchanges attempts within each model and eval.
        """
        changes: Floats = (self.second.means - self.first.means).mean(axis=0)[places]
        flat = [
            SideCounts(side.passed[:, places].ravel(), side.judged[:, places].ravel())
            for side in self
        ]
        p = p_value(changes, *flat)
        return EffectPart(
            difference=float(changes.mean()),
            interval=difference_interval(changes),
            evals=int(places.size),
            p_value=p,
            uncorrected=p,
        )


def _attributed_part(models: Sequence[GuidelinesEffect], both: _Both) -> EffectPart | None:
    """Return the mean effect without the failures that reports set aside on either side.

    If a model has no attempt at an eval left on a side, it is not in that eval's mean. An eval
    without a model left is not in the effect. None if no run has a report, or no eval is left.
    """
    sides = [(item.without, item.with_them) for item in models]
    if not any(run.reported for pair in sides for pool in pair for run in pool.runs):
        return None
    aside = [np.stack([set_aside(pair[side]) for pair in sides]) for side in (0, 1)]
    attempts = [item.judged - some for item, some in zip(both, aside, strict=True)]
    counts = (attempts[0] > 0) & (attempts[1] > 0)
    if not counts.any():
        return None
    rates = [item.passed / np.maximum(some, 1) for item, some in zip(both, attempts, strict=True)]
    counted = counts.sum(axis=0)
    sums = ((rates[1] - rates[0]) * counts).sum(axis=0)
    changes: Floats = sums[counted > 0] / counted[counted > 0]
    flat = [
        SideCounts(item.passed[counts], some[counts])
        for item, some in zip(both, attempts, strict=True)
    ]
    return EffectPart(
        difference=float(changes.mean()),
        interval=difference_interval(changes),
        evals=int(changes.size),
        p_value=p_value(changes, *flat),
    )


def _correct_parts(parts: Sequence[EffectPart]) -> list[EffectPart]:
    """Return the parts with p-values corrected for their number.

    Parts with too few evals to show a difference are not counted and get None as p-value.
    """
    raw = [None if part.conclusion is Conclusion.TOO_FEW else part.p_value for part in parts]
    corrected = iter(holm([p for p in raw if p is not None]))
    return [
        replace(part, p_value=None if p is None else next(corrected))
        for part, p in zip(parts, raw, strict=True)
    ]


def _change(
    version: ScoredVersion, first: SideCounts, second: SideCounts, places: NDArray[np.intp]
) -> PairedChange:
    first, second = first.at(places), second.at(places)
    changes = second.means - first.means
    fixed, broken = find_moved(first, second)
    return PairedChange(
        difference=float(changes.mean()),
        interval=difference_interval(changes),
        evals=int(changes.size),
        fixed=tuple(version.evals[int(places[at])] for at in fixed),
        broken=tuple(version.evals[int(places[at])] for at in broken),
    )
