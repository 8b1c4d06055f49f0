"""The guidelines' effect: on one model, on all, and without failures that are not the model's."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from generator.scores.differences.difference import Conclusion
from generator.scores.guidelines_effect import (
    GuidelinesEffect,
    OverallEffect,
    compute_guidelines_effects,
    compute_overall_effect,
    find_certain_effects,
)
from generator.scores.inputs import RunResults, ScoredVersion, pool_by_model
from tests.generator.scores.making import make_pair, make_rng, make_scored_version

pytestmark = pytest.mark.unit

LARGE = make_scored_version(66, categories=7)
BOTH, FIXED, BROKEN, NEITHER = 44, 11, 3, 8


def make_published_pair() -> list[RunResults]:
    """Return a pair like openai/gpt-5.2-codex's: 55 of 66 with guidelines, 47 without."""
    with_them = [1] * BOTH + [1] * FIXED + [0] * BROKEN + [0] * NEITHER
    without = [1] * BOTH + [0] * FIXED + [1] * BROKEN + [0] * NEITHER
    return make_pair(LARGE, with_them, without)


def compute_effects(
    runs: Iterable[RunResults], of: ScoredVersion = LARGE
) -> tuple[GuidelinesEffect, ...]:
    """Return the effect on each model."""
    return compute_guidelines_effects(of, pool_by_model(runs))


def compute_overall(runs: Iterable[RunResults], of: ScoredVersion = LARGE) -> OverallEffect:
    """Return the effect on all models, of which at least one has both conditions."""
    overall = compute_overall_effect(of, compute_effects(runs, of))
    assert overall is not None
    return overall


def test_the_published_pair_gives_real_figures() -> None:
    """11 fixed and 3 broken of 66: 12 points, which may be chance (p 0.057)."""
    (effect,) = compute_effects(make_published_pair())
    change = effect.difference
    assert change.value == pytest.approx(8 / 66)
    assert (len(change.fixed), len(change.broken), change.evals) == (11, 3, 66)
    assert {*change.fixed} < {*LARGE.evals}
    assert (change.interval.low, change.interval.high) == pytest.approx((0.0096, 0.2257), abs=1e-4)
    assert effect.difference.p_value == pytest.approx(0.05737, abs=1e-5)
    assert effect.difference.conclusion is Conclusion.NOISE
    assert effect.attributed is None


def test_an_effect_is_shown_without_failures_that_are_not_the_models() -> None:
    """The grader failed two fixed evals wrongly, and an eval on both sides: 9 : 3 of 63."""
    with_them, without = [1] * 55 + [0] * 11, [1] * 44 + [0] * 11 + [1] * 3 + [0] * 8
    strict = ("overly_strict",)
    classes_without = {44: strict, 45: strict, 65: ("ambiguous_task",), 64: ("model_fault",)}
    (effect,) = compute_effects(
        make_pair(LARGE, with_them, without, classes=({65: strict}, classes_without))
    )
    assert effect.difference.value == pytest.approx(8 / 66)
    attributed = effect.attributed
    assert attributed is not None
    assert attributed.evals == 63
    assert attributed.value == pytest.approx(6 / 63)
    assert attributed.p_value == pytest.approx(0.146, abs=1e-3)
    assert (attributed.interval.low, attributed.interval.high) == pytest.approx(
        (-0.014, 0.199), abs=1e-3
    )
    assert attributed.conclusion is Conclusion.NOISE


def test_the_largest_of_many_equal_effects_is_rarely_certain() -> None:
    """On at most 5 of 100 boards a model is named among 20 that the guidelines do not change."""
    rng = make_rng(20)
    chances = rng.beta(1.2, 0.6, size=66)
    boards = 60

    def is_named() -> bool:
        pairs = [
            make_pair(LARGE, *rng.binomial(1, chances, (2, 66)).tolist(), slug=f"a/{model}")
            for model in range(20)
        ]
        return bool(find_certain_effects(compute_effects(chain(*pairs))))

    assert sum(is_named() for _ in range(boards)) <= 0.1 * boards


def test_a_large_effect_is_certain_among_others() -> None:
    """Only the model that gains 20 evals of 66 is certain, beside three without a gain."""
    large = make_pair(LARGE, [1] * 66, [1] * 46 + [0] * 20)
    same = [1] * 50 + [0] * 16
    unchanged = [make_pair(LARGE, same, same, slug=f"b/{model}") for model in range(3)]
    assert find_certain_effects(compute_effects(chain(large, *unchanged))) == {"a/model"}


def test_too_few_evals_have_no_p_value_that_could_be_read_as_corrected() -> None:
    """A category of five evals has no p-value and is in no correction."""
    of = make_scored_version(71, categories=1)
    small = ScoredVersion.from_evals(
        "made-up", [*of.evals[:66], *(f"001-few/{n:03d}-t" for n in range(5))]
    )
    overall = compute_overall(make_pair(small, [1] * 71, [0] * 71), small)
    assert overall.categories["001-few"].telling_p_value is None
    assert overall.categories["001-few"].conclusion is Conclusion.TOO_FEW
    assert overall.categories["000-part"].telling_p_value is not None


def test_one_failure_of_several_set_aside_leaves_the_other_attempts() -> None:
    """The eval stays, with the remaining attempts."""
    of = make_scored_version(8)
    classes = {0: ("overly_strict",), 1: ("overly_strict",)}
    runs = make_pair(of, [2] * 8, [0, 1] + [2] * 6, samples=2, classes=(None, classes))
    (effect,) = compute_effects(runs, of)
    attributed = effect.attributed
    assert attributed is not None
    assert attributed.evals == 8
    assert attributed.value == pytest.approx(1 / 8)


def test_an_eval_counts_in_each_section_it_exercises() -> None:
    """Sections of the guidelines overlap; a section without evals does not appear."""
    first, second, third = (f"0-a/{number}" for number in range(3))
    of = ScoredVersion.from_evals(
        "v", [first, second, third], {first: ("Indexes", "Queries"), second: ("Queries",)}
    )
    runs = make_pair(of, [1, 1, 0], [0, 1, 0])
    sections = compute_overall(runs, of).sections
    parts = {name: (part.evals, part.value) for name, part in sections.items()}
    assert parts == {"Indexes": (1, 1.0), "Queries": (2, 0.5)}
    (effect,) = compute_effects(runs, of)
    assert effect.difference.fixed == (first,)


def test_several_attempts_are_exchanged_within_evals() -> None:
    """An eval is fixed where a higher share of attempts passes, though most passed already."""
    of = make_scored_version(20)
    with_them, without = [3] * 10 + [2] * 5 + [0] * 5, [2] * 10 + [1] * 5 + [0] * 5
    (effect,) = compute_effects(make_pair(of, with_them, without, samples=3), of)
    # Five attempts of six passed on ten evals: the failed attempt is on either side. Three of six
    # passed on five evals: all on one side once in ten, else two on one side.
    sums = np.ones(1)
    for chances in [[0.5, 0, 0.5]] * 10 + [[0.05, 0, 0.45, 0, 0.45, 0, 0.05]] * 5:
        sums = np.convolve(sums, np.array(chances))
    far = np.abs(np.arange(sums.size) - sums.size // 2) >= 15
    assert effect.difference.p_value == pytest.approx(float(sums[far].sum()))
    assert effect.difference.conclusion is Conclusion.BETTER
    assert len(effect.difference.fixed) == 15


def test_models_without_both_conditions_have_no_effect() -> None:
    """A single condition is no comparison, and a mean needs a model."""
    assert compute_effects(make_published_pair()[:1]) == ()
    assert compute_overall_effect(LARGE, ()) is None


def test_without_failures_set_aside_all_models_are_averaged_again() -> None:
    """A single model keeps its own effect; a second model without a report keeps all its evals."""
    strict = ("overly_strict",)
    with_them = [1] * 55 + [0] * 11
    without = [1] * 44 + [0] * 11 + [1] * 3 + [0] * 8
    alone = make_pair(LARGE, with_them, without, classes=({65: strict}, {44: strict, 45: strict}))
    (effect,) = compute_effects(alone)
    attributed = compute_overall(alone).attributed
    assert effect.attributed is not None
    assert attributed is not None
    assert attributed.value == pytest.approx(effect.attributed.value)
    assert attributed.interval == effect.attributed.interval
    assert attributed.p_value == pytest.approx(effect.attributed.p_value)
    second = make_pair(LARGE, [1] * 45 + [0] * 21, [1] * 46 + [0] * 20, slug="b/b")
    both = compute_overall([*alone, *second]).attributed
    assert both is not None
    # At 44, 45 and 65 only the second model is left, which loses at 45; elsewhere both are.
    first = [value - other for value, other in zip(with_them, without, strict=True)]
    changes = [value / 2 for number, value in enumerate(first) if number not in {44, 45, 65}]
    assert both.evals == 66
    assert both.value == pytest.approx((sum(changes) - 1) / 66)


def test_the_overall_effect_is_the_mean_over_models() -> None:
    """A second model without an effect of the guidelines halves the difference."""
    same = [1] * 40 + [0] * 26
    overall = compute_overall([*make_published_pair(), *make_pair(LARGE, same, same, slug="b/b")])
    assert overall.models == ("a/model", "b/b")
    assert overall.whole.value == pytest.approx(4 / 66)
    assert overall.whole.p_value >= 0.05737


def test_categories_and_sections_are_corrected_as_one_family() -> None:
    """One of 7 categories of nine or ten evals is all fixed; each p-value counts the others."""
    fixed_category = LARGE.by_category["000-part"].tolist()
    without = [0 if number in fixed_category else 1 for number in range(66)]
    overall = compute_overall(make_pair(LARGE, [1] * 66, without))
    part = overall.categories["000-part"]
    assert part.p_value == pytest.approx(7 * 2 / 2 ** len(fixed_category))
    assert part.conclusion is Conclusion.BETTER
    other_categories = [effect for name, effect in overall.categories.items() if name != "000-part"]
    assert {effect.conclusion for effect in other_categories} == {Conclusion.NOISE}


def test_held_out_evals_are_compared_apart_and_change_no_other_figure() -> None:
    """The guidelines fix all evals but the held-out ones; only these two parts are corrected."""
    held_out = frozenset(LARGE.evals[:20])
    of = replace(LARGE, held_out=held_out)
    runs = make_pair(of, [1] * 66, [1] * 20 + [0] * 46)
    usual, apart = compute_overall(runs), compute_overall(runs, of)
    assert usual.held_out == {}
    assert (usual.categories, usual.whole) == (apart.categories, apart.whole)
    assert [part.value for part in apart.held_out.values()] == [0, 1]
    assert [part.conclusion for part in apart.held_out.values()] == [
        Conclusion.NOISE,
        Conclusion.BETTER,
    ]


def test_a_section_of_few_evals_is_marked_and_does_not_count_in_the_correction() -> None:
    """Five evals fixed of five are too few for a conclusion."""
    names = [f"000-a/{number:03d}-b" for number in range(12)]
    of = ScoredVersion.from_evals("v", names, dict.fromkeys(names[:5], ("Few",)))
    overall = compute_overall(make_pair(of, [1] * 12, [0] * 12), of)
    assert overall.sections["Few"].conclusion is Conclusion.TOO_FEW
    assert overall.sections["Few"].telling_p_value is None
    assert overall.categories["000-a"].p_value == pytest.approx(overall.whole.p_value)
