"""The effect of the guidelines: each model compared with itself, eval by eval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generator.scores.attribution import attributed_difference, set_aside
from generator.scores.differences.difference import (
    Conclusion,
    PairedDifference,
    conclusion,
    difference,
    holm,
    moved,
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
    """The paired difference over some evals: all, a category's, a section's."""

    difference: float
    """Mean over the evals of the pass rate with minus without, -1 to 1."""
    interval: Interval
    """At 95%."""
    evals: int
    """Evals it is the mean over."""
    fixed: tuple[str, ...]
    """Evals at which a higher share of attempts passes with the guidelines."""
    broken: tuple[str, ...]
    """The other way round."""

    @property
    def same(self) -> int:
        """Evals that are neither fixed nor broken."""
        return self.evals - len(self.fixed) - len(self.broken)


@dataclass(frozen=True, eq=False)
class GuidelinesEffect:
    """The effect of the guidelines on one model."""

    slug: str
    """The model."""
    baseline: bool
    """The model is a baseline."""
    with_them: Pool
    """The model's runs with the guidelines."""
    without: Pool
    """And without."""
    change: PairedChange
    """Over all evals."""
    p_value: float
    """Two-sided, of no difference at all."""
    conclusion: Conclusion
    """Conclusion on the guidelines."""
    attributed: PairedDifference | None
    """The same without the failures that reports set aside; None without a report."""
    categories: Mapping[str, PairedChange]
    """By category, sorted."""
    sections: Mapping[str, PairedChange]
    """By section of the guidelines, sorted; an eval counts in each section it exercises."""

    @property
    def smallest_effect(self) -> float | None:
        """The least share of evals fixed that would have been shown; see `power`."""
        return smallest_effect(self.without.side, self.with_them.side)


@dataclass(frozen=True, slots=True)
class EffectPart:
    """The effect of the guidelines on all models together over some evals."""

    difference: float
    """Mean over the evals of the mean over models."""
    interval: Interval
    """At 95%, over the population of evals, for these very models."""
    evals: int
    """Evals it is the mean over."""
    p_value: float | None
    """Two-sided, of no difference at all; of a category or section corrected over all of them.

    None for one with too few evals to show any difference, which is in no correction.
    """
    uncorrected: float | None = None
    """The p-value before it was corrected for categories and sections."""

    @property
    def conclusion(self) -> Conclusion:
        """Conclusion on the guidelines."""
        if self.p_value is None:
            return Conclusion.TOO_FEW
        return conclusion(self.difference, self.evals, self.p_value)


@dataclass(frozen=True, slots=True)
class OverallEffect:
    """The effect of the guidelines on all models with both conditions, baselines apart."""

    models: tuple[str, ...]
    """Slugs."""
    whole: EffectPart
    """Over all evals."""
    attributed: EffectPart | None
    """The same without the failures that reports set aside; None without a report."""
    categories: Mapping[str, EffectPart]
    """By category, sorted."""
    sections: Mapping[str, EffectPart]
    """By section of the guidelines, sorted; an eval counts in each section it exercises."""


def guidelines_effect(version: ScoredVersion, with_them: Pool, without: Pool) -> GuidelinesEffect:
    """Compare one model with the guidelines and without them."""

    def change(places: NDArray[np.intp]) -> PairedChange:
        return _change(version, without.side, with_them.side, places)

    paired = difference(without.side, with_them.side)
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
    """Compare every model that was run under both experiments, largest effect first."""
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
    """Average the effects over models; None where no model but baselines has both conditions."""
    models = [effect for effect in effects if not effect.baseline]
    if not models:
        return None
    both = _Both.of(models)
    parts = [*version.by_category.items(), *version.by_section.items()]
    corrected = _corrected([both.part(places) for _, places in parts])
    by_name = [(name, part) for (name, _), part in zip(parts, corrected, strict=True)]
    categories = len(version.by_category)
    return OverallEffect(
        models=tuple(effect.slug for effect in models),
        whole=both.part(np.arange(len(version.evals))),
        attributed=_attributed(models, both),
        categories=dict(by_name[:categories]),
        sections=dict(by_name[categories:]),
    )


def find_certain_effects(effects: Sequence[GuidelinesEffect]) -> frozenset[str]:
    """Return the models, baselines apart, whose effects are more than noise all together.

    The p-values are corrected for the number of models that were asked both ways.
    """
    models = [effect for effect in effects if not effect.baseline]
    corrected = holm([effect.p_value for effect in models])
    return frozenset(
        effect.slug
        for effect, p in zip(models, corrected, strict=True)
        if conclusion(effect.change.difference, effect.change.evals, p) in _SHOWN
    )


class _Both(NamedTuple):
    """All models together under each condition: passes and attempts, models x evals."""

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
        """Average over models at some evals; attempts are exchanged within model and eval."""
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


def _attributed(models: Sequence[GuidelinesEffect], both: _Both) -> EffectPart | None:
    """Average again without the failures set aside on either side, where any run has a report.

    A model's eval with no attempt left on a side is left out of that eval's mean, an eval with no
    model left out of the whole.
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


def _corrected(parts: Sequence[EffectPart]) -> list[EffectPart]:
    """Correct over the parts that have enough evals to show anything; the others have no p."""
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
    fixed, broken = moved(first, second)
    return PairedChange(
        difference=float(changes.mean()),
        interval=difference_interval(changes),
        evals=int(changes.size),
        fixed=tuple(version.evals[int(places[at])] for at in fixed),
        broken=tuple(version.evals[int(places[at])] for at in broken),
    )
