"""Paired comparisons, eval by eval: the effect of the guidelines, and one model beside another."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from generator.scores.estimates import FEW_EVALS
from generator.scores.inputs import ScoredVersion
from generator.scores.intervals import Floats, Interval, difference_interval
from generator.scores.selection import Pool, Selection
from generator.scores.significance import common_unit, mcnemar_exact, sign_flip, smallest_effect
from records.experiments import DEFAULT, NO_GUIDELINES

_MOST: Final = 0.5
_LEVEL: Final = 0.05


class Evidence(StrEnum):
    """How sure it is that two sides differ."""

    CLEAR = "clear"
    """The interval excludes 0, and the exact test's p-value is below 0.05."""
    BORDERLINE = "borderline"
    """Only one of the two says so."""
    NONE = "none"
    """Neither does: which is not to say that the sides are equal; see the smallest effect."""


@dataclass(frozen=True, slots=True)
class PairedChange:
    """The paired difference over some evals: all, a category's, a section's."""

    difference: float
    """Mean over the evals of first minus second pass rate, -1 to 1."""
    interval: Interval
    """At 95%."""
    evals: int
    """Evals it is the mean over."""
    fixed: tuple[str, ...]
    """Evals that the first side passes in most attempts and the second does not."""
    broken: tuple[str, ...]
    """Evals that the second side passes in most attempts and the first does not."""

    @property
    def same(self) -> int:
        """Evals that are neither fixed nor broken."""
        return self.evals - len(self.fixed) - len(self.broken)

    @property
    def counts_first(self) -> bool:
        """Whether there are too few evals for a percentage to stand alone."""
        return self.evals < FEW_EVALS


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """One side against another over all evals of a version."""

    first: Pool
    """What the difference is of: with guidelines, or the first model."""
    second: Pool
    """What it is against: without guidelines, or the other model."""
    change: PairedChange
    """Over all evals."""
    p_value: float
    """Two-sided, of no difference at all."""
    test: Literal["mcnemar", "sign_flip"]
    """McNemar's exact test where every eval has one attempt on each side, else sign flips."""
    smallest_effect: float
    """Smallest true difference that these evals would have shown 80 times in 100."""
    differences: Floats
    """First minus second pass rate, by eval."""

    @property
    def evidence(self) -> Evidence:
        """How sure it is that the sides differ."""
        return _evidence(self.change.interval, self.p_value)


@dataclass(frozen=True, slots=True)
class GuidelinesEffect:
    """What the guidelines did for one model."""

    slug: str
    """The model."""
    baseline: bool
    """Whether it is a baseline."""
    paired: Paired
    """With (first) against without (second)."""
    categories: Mapping[str, PairedChange]
    """By category, sorted."""
    sections: Mapping[str, PairedChange]
    """By section of the guidelines, sorted; an eval counts in each section it exercises."""


@dataclass(frozen=True, slots=True)
class EffectPart:
    """What the guidelines did for all models together over some evals."""

    difference: float
    """Mean over the evals of the mean over models."""
    interval: Interval
    """At 95%, over the population of evals, for these very models."""
    p_value: float
    """Of the sign-flip test on each eval's mean over models."""
    smallest_effect: float
    """Smallest true difference that these evals would have shown 80 times in 100."""

    @property
    def evidence(self) -> Evidence:
        """How sure it is that there is an effect."""
        return _evidence(self.interval, self.p_value)


@dataclass(frozen=True, slots=True)
class OverallEffect:
    """What the guidelines did for all models that have both conditions, baselines apart."""

    models: tuple[str, ...]
    """Slugs."""
    whole: EffectPart
    """Over all evals."""
    fixed: int
    """Pairs of model and eval that the guidelines fixed."""
    broken: int
    """Pairs of model and eval that they broke."""
    same: int
    """Pairs of model and eval that are neither."""
    differences: Floats
    """Mean over models, by eval."""
    categories: Mapping[str, EffectPart]
    """By category, sorted."""
    sections: Mapping[str, EffectPart]
    """By section of the guidelines, sorted; an eval counts in each section it exercises."""


def paired(version: ScoredVersion, first: Pool, second: Pool) -> Paired:
    """Compare two sides over all evals of ``version``."""
    differences = first.means - second.means
    change = _change(version, first, second)(np.arange(len(version.evals)))
    single = bool((first.judged == 1).all() and (second.judged == 1).all())
    return Paired(
        first=first,
        second=second,
        change=change,
        p_value=(
            mcnemar_exact(len(change.fixed), len(change.broken))
            if single
            else sign_flip(differences, common_unit(first.judged.tolist(), second.judged.tolist()))
        ),
        test="mcnemar" if single else "sign_flip",
        smallest_effect=smallest_effect(differences),
        differences=differences,
    )


def guidelines_effect(version: ScoredVersion, with_them: Pool, without: Pool) -> GuidelinesEffect:
    """Compare one model with the guidelines and without them."""
    change = _change(version, with_them, without)
    return GuidelinesEffect(
        slug=with_them.slug,
        baseline=with_them.baseline,
        paired=paired(version, with_them, without),
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
    second = {one.slug: one for one in selection.pools if one.experiment == without}
    effects = [
        guidelines_effect(version, one, second[one.slug])
        for one in selection.pools
        if one.experiment == with_them and one.slug in second
    ]
    return tuple(sorted(effects, key=lambda one: (-one.paired.change.difference, one.slug)))


def overall_effect(
    version: ScoredVersion, effects: Sequence[GuidelinesEffect]
) -> OverallEffect | None:
    """Average the effects over models; None where no model but baselines has both conditions."""
    pairs = [one.paired for one in effects if not one.baseline]
    if not pairs:
        return None
    differences = np.stack([one.differences for one in pairs]).mean(axis=0)
    attempts = [side.judged.tolist() for one in pairs for side in (one.first, one.second)]
    unit = common_unit(*attempts)
    whole_unit = None if unit is None else unit * len(pairs)
    return OverallEffect(
        models=tuple(one.first.slug for one in pairs),
        whole=_part(differences, whole_unit),
        fixed=sum(len(one.change.fixed) for one in pairs),
        broken=sum(len(one.change.broken) for one in pairs),
        same=sum(one.change.same for one in pairs),
        differences=differences,
        categories={
            name: _part(differences[places], whole_unit)
            for name, places in version.by_category.items()
        },
        sections={
            name: _part(differences[places], whole_unit)
            for name, places in version.by_section.items()
        },
    )


def _part(differences: Floats, unit: int | None) -> EffectPart:
    return EffectPart(
        difference=float(differences.mean()),
        interval=difference_interval(differences),
        p_value=sign_flip(differences, unit),
        smallest_effect=smallest_effect(differences),
    )


def _evidence(interval: Interval, p_value: float) -> Evidence:
    """Say how sure a difference is.

    The exact test errs at most 5 times in 100 and mostly less often, the interval 5 times on
    average; a difference that only one of them calls real is called borderline.
    """
    by_interval = interval.low > 0 or interval.high < 0
    by_test = p_value < _LEVEL
    if by_interval and by_test:
        return Evidence.CLEAR
    return Evidence.BORDERLINE if by_interval or by_test else Evidence.NONE


def _change(
    version: ScoredVersion, first: Pool, second: Pool
) -> Callable[[NDArray[np.intp]], PairedChange]:
    differences = first.means - second.means
    mostly_first, mostly_second = first.means > _MOST, second.means > _MOST

    def over(places: NDArray[np.intp]) -> PairedChange:
        fixed: list[int] = places[(mostly_first & ~mostly_second)[places]].tolist()
        broken: list[int] = places[(mostly_second & ~mostly_first)[places]].tolist()
        return PairedChange(
            difference=float(differences[places].mean()),
            interval=difference_interval(differences[places]),
            evals=int(places.size),
            fixed=tuple(version.evals[place] for place in fixed),
            broken=tuple(version.evals[place] for place in broken),
        )

    return over
