"""Paired comparisons: the guidelines' effect, models side by side."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.scores.compare import each_pair
from generator.scores.effect import (
    Evidence,
    guidelines_effects,
    overall_effect,
    paired,
)
from generator.scores.inputs import RunResults, ScoredVersion
from generator.scores.selection import pool, select
from tests.generator.scores.making import run, version

LARGE = version(66, categories=7)
BOTH, FIXED, BROKEN, NEITHER = 44, 11, 3, 8


def published() -> list[RunResults]:
    """Return a pair like openai/gpt-5.2-codex's: 55 of 66 with guidelines, 47 without."""
    with_them = [1] * BOTH + [1] * FIXED + [0] * BROKEN + [0] * NEITHER
    without = [1] * BOTH + [0] * FIXED + [1] * BROKEN + [0] * NEITHER
    return [run(LARGE, with_them), run(LARGE, without, experiment="no_guidelines")]


def test_the_published_pair_gives_real_figures() -> None:
    """11 fixed and 3 broken of 66: 12 points, and borderline evidence."""
    (effect,) = guidelines_effects(LARGE, select(LARGE, published()))
    change = effect.paired.change
    assert change.difference == pytest.approx(8 / 66)
    assert (len(change.fixed), len(change.broken), change.same) == (11, 3, 52)
    assert (change.interval.low, change.interval.high) == pytest.approx((0.0096, 0.2257), abs=1e-4)
    assert effect.paired.test == "mcnemar"
    assert effect.paired.p_value == pytest.approx(0.05737, abs=1e-5)
    assert effect.paired.evidence is Evidence.BORDERLINE
    assert effect.paired.smallest_effect == pytest.approx(0.1545, abs=1e-4)


def test_categories_add_up_to_the_whole() -> None:
    """Each eval is in one category."""
    (effect,) = guidelines_effects(LARGE, select(LARGE, published()))
    parts = effect.categories.values()
    assert sum(part.evals for part in parts) == 66
    assert sum(len(part.fixed) for part in parts) == 11
    assert sum(len(part.broken) for part in parts) == 3


def test_an_eval_counts_in_each_section_it_exercises() -> None:
    """Sections of the guidelines overlap; one without evals does not appear."""
    first, second, third = (f"0-a/{number}" for number in range(3))
    of = ScoredVersion.of(
        "v", [first, second, third], {first: ("Indexes", "Queries"), second: ("Queries",)}
    )
    runs = [run(of, [1, 1, 0]), run(of, [0, 1, 0], experiment="no_guidelines")]
    (effect,) = guidelines_effects(of, select(of, runs))
    evals = {name: (part.evals, part.fixed) for name, part in effect.sections.items()}
    assert evals == {"Indexes": (1, (first,)), "Queries": (2, (first,))}


def test_several_attempts_are_tested_by_flipping_signs() -> None:
    """An eval is fixed if most attempts pass with the guidelines and most do not without."""
    of = version(20)
    runs = [
        run(of, [3] * 10 + [2] * 5 + [0] * 5, samples=3),
        run(of, [2] * 10 + [1] * 5 + [0] * 5, samples=3, experiment="no_guidelines"),
    ]
    (effect,) = guidelines_effects(of, select(of, runs))
    assert effect.paired.test == "sign_flip"
    assert effect.paired.p_value == pytest.approx(2 / 2**15)
    assert effect.paired.evidence is Evidence.CLEAR
    assert len(effect.paired.change.fixed) == 5


def test_models_without_both_conditions_have_no_effect() -> None:
    """One condition is not a comparison, and nothing is averaged over no model."""
    assert guidelines_effects(LARGE, select(LARGE, published()[:1])) == ()
    assert overall_effect(LARGE, ()) is None


def test_the_overall_effect_is_the_mean_over_models() -> None:
    """A second model that the guidelines do nothing for halves the difference."""
    same = [1] * 40 + [0] * 26
    runs = [
        *published(),
        run(LARGE, same, slug="b/b"),
        run(LARGE, same, slug="b/b", experiment="no_guidelines"),
    ]
    overall = overall_effect(LARGE, guidelines_effects(LARGE, select(LARGE, runs)))
    assert overall is not None
    assert overall.models == ("a/model", "b/b")
    assert overall.whole.difference == pytest.approx(4 / 66)
    assert (overall.fixed, overall.broken, overall.same) == (11, 3, 118)
    assert overall.whole.p_value == pytest.approx(0.05737, abs=1e-5)


passes = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=30)


@given(passes)
def test_comparing_the_other_way_round_turns_everything_over(both: list[tuple[int, int]]) -> None:
    """Fixed becomes broken, the difference its negative, the p-value stays."""
    of = version(len(both))
    one = pool([run(of, [first for first, _ in both], samples=2, slug="a/a")])
    other = pool([run(of, [second for _, second in both], samples=2, slug="b/b")])
    there, back = paired(of, one, other), paired(of, other, one)
    assert there.change.difference == pytest.approx(-back.change.difference)
    assert (there.change.fixed, there.change.broken) == (back.change.broken, back.change.fixed)
    assert there.p_value == pytest.approx(back.p_value)
    assert there.smallest_effect == pytest.approx(back.smallest_effect)
    assert there.evidence is back.evidence


def test_every_two_models_are_compared_as_a_pair_is() -> None:
    """The figures of the comparison of all with all are those of each pair, whichever is first."""
    of = version(12)
    dice = Random(4)  # noqa: S311 - the same figures every time
    pools = [
        pool(
            [
                run(
                    of, [dice.randrange(samples + 1) for _ in range(12)], samples=samples, slug=slug
                )
                for _ in range(runs)
            ]
        )
        for slug, samples, runs in (("a/a", 1, 1), ("b/b", 1, 1), ("c/c", 2, 1), ("d/d", 1, 3))
    ]
    found = each_pair(pools)
    assert list(found) == list(combinations(range(4), 2))
    for (one, other), against in found.items():
        straight, turned = (
            paired(of, pools[one], pools[other]),
            paired(of, pools[other], pools[one]),
        )
        for here, there in ((against, straight), (against.turned(), turned)):
            assert here.difference == pytest.approx(there.change.difference)
            assert here.interval.low == pytest.approx(there.change.interval.low)
            assert here.interval.high == pytest.approx(there.change.interval.high)
            assert here.p_value == pytest.approx(there.p_value)
            assert (here.better, here.worse) == (len(there.change.fixed), len(there.change.broken))
