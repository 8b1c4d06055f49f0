"""The effect of the guidelines: each model's runs with guidelines against its runs without."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generator.scores.differences.difference import (
    FEWEST_EVALS,
    Difference,
    PairedDifference,
    compare_sides,
    compute_p_value,
    compute_smallest_effect,
    correct_differences,
    uphold,
)
from generator.scores.inputs import Pool, ScoredVersion, SideCounts
from generator.scores.score_estimate import compute_attributed_difference
from records.suites.experiments import DEFAULT, NO_GUIDELINES


@dataclass(frozen=True, eq=False)
class GuidelinesEffect:
    """The effect of the guidelines on one model."""

    with_them: Pool
    """The model's runs with the guidelines."""
    without: Pool
    """The model's runs without the guidelines."""
    difference: PairedDifference
    """The pass rate with the guidelines minus the pass rate without, over all evals."""
    attributed: PairedDifference | None
    """The difference without the failures that reports set aside. None if no run has a report, or
    no eval has an attempt left on both sides."""

    @property
    def smallest_effect(self) -> float | None:
        """The smallest share of fixed evals that the test would notice 80 times in 100.

        None in the cases that `compute_smallest_effect` lists.
        """
        return compute_smallest_effect(self.without, self.with_them)


class OverallEffect(NamedTuple):
    """The mean effect of the guidelines on all models that ran with and without them.

    Baselines are left out. The value at an eval is the mean over the models, which are not a sample
    of other models, so intervals are over the population of evals alone. The p-value of a category
    or section is corrected for the number of those with enough evals to show a difference.
    """

    models: tuple[str, ...]
    """The slugs of the models."""
    whole: Difference
    """The effect over all evals."""
    attributed: Difference | None
    """The effect without the failures that reports set aside. None if no run has a report, or no
    eval has attempts of a model left on both sides."""
    categories: Mapping[str, Difference]
    """The effect in each category, sorted by name."""
    sections: Mapping[str, Difference]
    """The effect in each section of the guidelines, sorted by name. An eval counts in every section
    that it exercises."""
    held_out: Mapping[str, Difference]
    """The effect on the evals that are held out from the guidelines, and on the others; empty
    without held-out evals. The p-values are corrected for these two alone."""


def compute_guidelines_effects(
    version: ScoredVersion, pools: Sequence[Pool]
) -> tuple[GuidelinesEffect, ...]:
    """Return the effect on each model that ran with and without them, the largest effect first."""
    without_by_slug = {pool.slug: pool for pool in pools if pool.experiment == NO_GUIDELINES}
    effects = [
        GuidelinesEffect(
            with_them=pool,
            without=without,
            difference=compare_sides(without, pool, evals=version.evals),
            attributed=compute_attributed_difference(without, pool),
        )
        for pool in pools
        if pool.experiment == DEFAULT and (without := without_by_slug.get(pool.slug)) is not None
    ]
    return tuple(
        sorted(effects, key=lambda effect: (-effect.difference.value, effect.with_them.slug))
    )


def compute_overall_effect(
    version: ScoredVersion, effects: Sequence[GuidelinesEffect]
) -> OverallEffect | None:
    """Return the mean effect on the models, baselines left out; None if no model is left."""
    models = [effect for effect in effects if not effect.with_them.baseline]
    if not models:
        return None
    pools = [[model.without for model in models], [model.with_them for model in models]]
    # Arrays of models x evals.
    sides = [SideCounts.join(some, np.stack) for some in pools]
    left = [SideCounts.join([pool.attributed for pool in some], np.stack) for some in pools]
    is_reported = any(pool.is_reported for some in pools for pool in some)
    has_left = ((left[0].judged > 0) & (left[1].judged > 0)).any()
    sides_of_all = [side.whole for side in sides]

    def compute_each(
        group: Callable[[ScoredVersion], Mapping[str, NDArray[np.intp]]],
    ) -> dict[str, Difference]:
        """Return the effect in each group of evals; it must be shown over the whole version."""
        effects: dict[str, Difference] = {}
        groups_of_all = group(version.whole)
        for name, evals in group(version).items():
            effect = _compute_mean_effect(*(side.select_evals(evals) for side in sides))
            if version.beside:
                of_all = (side.select_evals(groups_of_all[name]) for side in sides_of_all)
                over_all = _compute_mean_effect(*of_all)
                p_value = uphold(effect.p_value, effect.value, over_all.p_value, over_all.value)
                effect = replace(effect, p_value=p_value, uncorrected=p_value)
            effects[name] = effect
        return effects

    categories = compute_each(lambda of: of.by_category)
    sections = compute_each(lambda of: of.by_section)
    held_out = compute_each(lambda of: of.by_holding_out)
    corrected = _correct_parts([*categories.values(), *sections.values()])
    return OverallEffect(
        models=tuple(effect.with_them.slug for effect in models),
        **compute_each(lambda of: {"whole": np.arange(len(of.evals))}),
        attributed=_compute_mean_effect(*left) if is_reported and has_left else None,
        categories=dict(zip(categories, corrected, strict=False)),
        sections=dict(zip(sections, corrected[len(categories) :], strict=True)),
        held_out=dict(zip(held_out, _correct_parts([*held_out.values()]), strict=True)),
    )


def _compute_mean_effect(first: SideCounts, second: SideCounts) -> Difference:
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
    changes = sums[models > 0] / models[models > 0]
    flat = [
        SideCounts(side.passed[has_attempts], side.judged[has_attempts]) for side in (first, second)
    ]
    return Difference.measure(changes, compute_p_value(changes, *flat))


def find_certain_effects(effects: Sequence[GuidelinesEffect]) -> frozenset[str]:
    """Return the slugs of the models on which the effect is more than chance.

    Baselines are left out. The p-values are corrected for the number of models.
    """
    models = [effect for effect in effects if not effect.with_them.baseline]
    corrected = correct_differences([effect.difference for effect in models])
    slugs = (effect.with_them.slug for effect in models)
    return frozenset(compress(slugs, (difference.real for difference in corrected)))


def _correct_parts(parts: Sequence[Difference]) -> list[Difference]:
    """Return the parts with p-values that are corrected for the number of parts.

    A part with too few evals to show a difference stays as it is, and does not count.
    """
    corrected = iter(correct_differences([part for part in parts if part.evals >= FEWEST_EVALS]))
    return [next(corrected) if part.evals >= FEWEST_EVALS else part for part in parts]
