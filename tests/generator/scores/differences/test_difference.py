"""The standard for a difference of two sides, and the correction for many pairs."""

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.scores import intervals
from generator.scores.differences import model_pairs
from generator.scores.differences.difference import (
    LEVEL,
    Conclusion,
    compare_sides,
    compute_p_values,
    compute_smallest_effect,
    correct_by_holm,
)
from generator.scores.differences.exchange import compute_exchange_p_value
from generator.scores.inputs import Pool, SideCounts, pool_runs
from tests.generator.scores import second_opinion
from tests.generator.scores.making import make_rng, make_run_results, make_scored_version, make_side

pytestmark = pytest.mark.unit

differences = st.lists(
    st.integers(-6, 6).map(lambda sixths: sixths / 6), min_size=1, max_size=40
).map(np.array)


@given(differences)
def test_the_interval_excludes_zero_where_its_p_value_is_below_5_in_100(
    each: intervals.Floats,
) -> None:
    """Interval and p-value agree; scipy's normal distribution gives the same level."""
    interval = intervals.compute_difference_interval(each)
    p_value = float(intervals.compute_difference_p_values(each))
    centre, error = intervals.compute_centre_and_error(each)
    assert p_value == pytest.approx(second_opinion.compute_two_sided_p_value(float(centre / error)))
    assert (p_value < LEVEL) == (interval.low > 0 or interval.high < 0)


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=20))
def test_many_p_values_are_corrected_as_statsmodels_does(p_values: list[float]) -> None:
    """The correction is Holm's method and keeps the order of the p-values."""
    assert correct_by_holm(p_values) == pytest.approx(
        second_opinion.compute_holm_p_values(p_values)
    )


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=6, max_size=30),
)
def test_two_sides_differ_where_interval_and_exact_test_agree(
    passes: list[tuple[int, int]],
) -> None:
    """The p-value is the larger of both, in either order, alone or among many."""
    first = make_side([passed for passed, _ in passes], [3] * len(passes))
    second = make_side([other for _, other in passes], [2] * len(passes))
    evals = [f"{number}" for number in range(len(passes))]
    straight, turned = (
        compare_sides(first, second, evals=evals),
        compare_sides(second, first, evals=evals),
    )
    interval = intervals.compute_difference_interval(second.means - first.means)
    by_interval = interval.low > 0 or interval.high < 0
    by_test = compute_exchange_p_value(first, second) < LEVEL
    assert (straight.conclusion is not Conclusion.NOISE) == (by_interval and by_test)
    assert turned.p_value == pytest.approx(straight.p_value)
    assert turned.value == pytest.approx(-straight.value)
    assert (turned.fixed, turned.broken) == (straight.broken, straight.fixed)
    assert straight.p_value == pytest.approx(
        float(compute_p_values(first.passed[None], 3, second.passed[None], 2)[0])
    )


def test_an_eval_counts_for_the_side_with_the_higher_share() -> None:
    """Of two attempts one pass beats none; equal shares of other numbers count for neither."""
    first, second = make_side([0, 1, 1, 2], [2] * 4), make_side([1, 2, 0, 4], [4, 4, 4, 4])
    change = compare_sides(first, second, evals="abcd")
    assert (change.fixed, change.broken) == (("a",), ("c",))


def test_a_change_that_is_large_enough_is_found() -> None:
    """Six evals fixed and none broken of 66 is the smallest change that single attempts show."""
    once = [1] * 66
    for fixed, expected in ((5, Conclusion.NOISE), (6, Conclusion.BETTER)):
        before = make_side([0] * fixed + [1] * (66 - fixed), once)
        change = compare_sides(before, make_side(once, once), evals=["a"] * 66)
        assert (change.conclusion, len(change.fixed), change.broken) == (expected, fixed, ())
    worse = compare_sides(make_side(once, once), make_side([0] * 6 + [1] * 60, once))
    assert worse.conclusion is Conclusion.WORSE


def test_too_few_evals_show_nothing() -> None:
    """Five evals, all fixed, have p = 0.06: the conclusion is "too few"."""
    change = compare_sides(make_side([0] * 5, [1] * 5), make_side([1] * 5, [1] * 5))
    assert change.conclusion is Conclusion.TOO_FEW
    assert replace(change, p_value=1e-9).conclusion is Conclusion.TOO_FEW


def test_the_smallest_effect_is_shown_80_times_in_100() -> None:
    """Single attempts at 66 evals, 7 lost and 7 gained by chance: other suites agree."""
    first = make_side([1] * 7 + [0] * 7 + [1] * 52, [1] * 66)
    second = make_side([0] * 7 + [1] * 7 + [1] * 52, [1] * 66)
    effect = compute_smallest_effect(first, second)
    assert effect is not None
    random = make_rng(8)
    suites = 4000

    def compute_shown_share(fixed: int) -> float:
        both = np.tile(first.passed + second.passed, (suites, 1))
        coins = random.integers(0, 2, size=both.shape)
        later = np.where(both == 1, coins, both // 2)
        chosen = random.permuted(np.tile(np.arange(66), (suites, 1)), axis=1) < fixed
        earlier, later = np.where(chosen, 0, both - later), np.where(chosen, 1, later)
        p_by_suite = compute_p_values(earlier.astype(np.int32), 1, later.astype(np.int32), 1)
        return float((p_by_suite < LEVEL).mean())

    fixed = round(66 * effect)
    assert compute_shown_share(fixed) >= 0.75
    assert compute_shown_share(fixed - 2) < 0.8


def test_the_smallest_effect_is_of_all_passes_together() -> None:
    """The side of a pass does not matter; another number of passes gives another effect."""
    two = [2] * 40
    one_way = compute_smallest_effect(make_side([1] * 40, two), make_side([0, 2] * 20, two))
    assert one_way == compute_smallest_effect(make_side([0, 2] * 20, two), make_side([1] * 40, two))
    steadier = compute_smallest_effect(make_side([2] * 40, two), make_side([2] * 40, two))
    assert one_way is not None
    assert steadier is not None
    assert steadier < one_way


def test_effects_beyond_any_number_of_evals_have_no_smallest_effect() -> None:
    """Five evals are too few; seven with one attempt are just enough if all are fixed."""
    assert compute_smallest_effect(make_side([0] * 5, [1] * 5), make_side([1] * 5, [1] * 5)) is None
    assert compute_smallest_effect(
        make_side([0] * 7, [1] * 7), make_side([0] * 7, [1] * 7)
    ) == pytest.approx(6 / 7)
    mixed = make_side([0] * 8, [1] * 4 + [2] * 4)
    assert compute_smallest_effect(mixed, mixed) is None


def test_a_remembered_effect_is_that_of_its_own_counts() -> None:
    """Other passes, or other attempts with the same passes, have an effect of their own."""
    counts = [
        (make_side([passed, 0] * 20, [first] * 40), make_side([0, 1] * 20, [second] * 40))
        for passed in (0, 1)
        for first, second in ((1, 1), (1, 3), (2, 2), (3, 1))
    ]
    assert len({compute_smallest_effect(*sides) for sides in counts}) > 4


def make_pools(evals: int) -> list[Pool]:
    """Return pools with random passes and unlike numbers of attempts."""
    of, dice = make_scored_version(evals), Random(4)  # noqa: S311 - the same figures every time
    return [
        pool_runs(
            [
                make_run_results(
                    of,
                    [dice.randrange(samples + 1) for _ in range(evals)],
                    samples=samples,
                    slug=slug,
                )
                for _ in range(runs)
            ]
        )
        for slug, samples, runs in (("a/a", 1, 1), ("b/b", 1, 1), ("c/c", 2, 1), ("d/d", 1, 3))
    ]


def test_every_two_models_are_compared_as_a_pair_is() -> None:
    """The comparison of all pairs has the figures of each pair, in either order."""
    pools = make_pools(12)
    comparisons = model_pairs.compare_all_pairs(pools)
    assert list(comparisons) == list(combinations(range(4), 2))
    pairs = {
        (first, second): compare_sides(pools[second], pools[first], evals=["a"] * 12)
        for first, second in comparisons
    }
    p_values = model_pairs.compute_pair_p_values(pools, list(pairs))
    for (key, against), p_value in zip(comparisons.items(), p_values, strict=True):
        straight = pairs[key]
        assert against.value == pytest.approx(straight.value)
        assert against.interval.low == pytest.approx(straight.interval.low)
        assert against.interval.high == pytest.approx(straight.interval.high)
        assert (against.better, against.worse) == (len(straight.fixed), len(straight.broken))
        assert against.p_value == p_value.corrected
        assert against.uncorrected == pytest.approx(straight.p_value)
        swapped = against.swap_models()
        assert (swapped.value, swapped.better) == (-against.value, against.worse)


def test_a_side_of_unlike_attempts_is_compared_with_any_other() -> None:
    """Its pairs are computed singly, with the same result as `compare_sides`."""
    sides = [
        make_side([1, 0, 1, 2, 0, 1, 1], [1, 1, 1, 3, 2, 1, 1]),
        make_side([0] * 7, [1] * 7),
        make_side([2] * 7, [3] * 7),
    ]
    pairs = list(combinations(range(3), 2))
    turned = model_pairs.compute_pair_p_values(sides, [(second, first) for first, second in pairs])
    for pair, p_value in zip(pairs, model_pairs.compute_pair_p_values(sides, pairs), strict=True):
        expected = compare_sides(*(sides[side] for side in pair)).p_value
        assert p_value.alone == pytest.approx(expected)
        assert p_value == turned[pairs.index(pair)]


def test_a_model_against_itself_is_not_corrected_for_the_pairs_of_models() -> None:
    """Two conditions of a model are one question; pairs of models under both are corrected."""
    of = make_scored_version(20)
    half, all_of_them = [1] * 10 + [0] * 10, [1] * 20
    pools = [
        pool_runs([make_run_results(of, half, slug=slug, experiment="no_guidelines")])
        for slug in ("a/a", "b/b")
    ]
    pools += [pool_runs([make_run_results(of, all_of_them, slug=slug)]) for slug in ("a/a", "b/b")]
    comparisons = model_pairs.compare_all_pairs(pools)
    own = comparisons[0, 2]
    assert own.p_value == own.uncorrected
    models = comparisons[0, 1], comparisons[2, 3]
    assert [pair.p_value for pair in models] == [1.0, 1.0]


def test_sides_keep_their_counts() -> None:
    """The side at some evals has the counts of these evals."""
    some = SideCounts(np.array([1, 2, 3], np.int32), np.array([3, 3, 3], np.int32))
    assert some.select_evals(np.array([0, 2])).means.tolist() == pytest.approx([1 / 3, 1])
