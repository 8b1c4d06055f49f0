"""Intervals against published values, a second implementation, and rules that always hold."""

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.scores.intervals import (
    Floats,
    Interval,
    compute_difference_bounds,
    compute_difference_interval,
    compute_mean_bounds,
    compute_mean_interval,
    compute_spread_ratio,
)
from tests.generator.scores import second_opinion

pytestmark = pytest.mark.unit


def make_floats(values: Sequence[float]) -> Floats:
    """Return an array."""
    return np.array(values, dtype=np.float64)


def make_single_attempts(passed: int, of: int) -> tuple[Floats, Floats]:
    """Return pass rates and attempts of evals with one attempt each."""
    return np.repeat([1.0, 0.0], [passed, of - passed]), np.ones(of)


@pytest.mark.parametrize(
    ("passed", "of", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_single_attempts_give_the_published_wilson_intervals(
    passed: int, of: int, low: float, high: float
) -> None:
    """The four cases of Newcombe (1998), table I, method 3."""
    interval = compute_mean_interval(*make_single_attempts(passed, of))
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_single_attempts_give_the_wilson_interval_of_statsmodels(counts: tuple[int, int]) -> None:
    """A second implementation agrees for every share."""
    passed, of = counts
    interval = compute_mean_interval(*make_single_attempts(passed, of))
    theirs = second_opinion.compute_wilson_interval(passed, of)
    assert (interval.low, interval.high) == pytest.approx(theirs, abs=1e-12)


def test_single_attempts_are_spread_as_far_as_can_be() -> None:
    """An eval passed once or failed once carries the doubt of a whole eval."""
    assert compute_spread_ratio(*make_single_attempts(5, 9)) == 1.0


def test_runs_that_agree_do_not_narrow_the_interval() -> None:
    """Ten runs that pass the same 55 of 66 evals are worth as much as one."""
    means, attempts = make_single_attempts(55, 66)
    once, often = (
        compute_mean_interval(means, attempts),
        compute_mean_interval(means, attempts * 10),
    )
    assert (often.low, often.high) == pytest.approx((once.low, once.high))


def test_runs_that_disagree_by_chance_narrow_the_interval_as_chance_allows() -> None:
    """Evals passed 5 times of 10 have a narrower interval, but not below that of 660 attempts."""
    once = compute_mean_interval(*make_single_attempts(33, 66))
    often = compute_mean_interval(np.full(66, 0.5), np.full(66, 10.0))
    assert (
        compute_width(compute_mean_interval(*make_single_attempts(330, 660)))
        <= compute_width(often)
        < compute_width(once) / 2
    )


rates = st.integers(1, 10).flatmap(
    lambda tries: st.lists(
        st.integers(0, tries).map(lambda passed: passed / tries), min_size=1, max_size=40
    ).map(lambda each: (make_floats(each), np.full(len(each), float(tries))))
)


@given(rates)
def test_interval_of_a_mean_is_a_proper_one(given_rates: tuple[Floats, Floats]) -> None:
    """The interval holds the mean, stays between 0 and 1, and never is +-0."""
    means, attempts = given_rates
    interval = compute_mean_interval(means, attempts)
    assert 0 <= interval.low <= means.mean() + 1e-12
    assert means.mean() - 1e-12 <= interval.high <= 1
    assert compute_width(interval) > 0.5 / (means.size * attempts.max() + 4)


@given(rates)
def test_interval_of_a_mean_is_no_wider_than_wilsons(given_rates: tuple[Floats, Floats]) -> None:
    """More attempts never add doubt: at the same mean, single attempts are the worst."""
    means, attempts = given_rates
    wilsons = compute_mean_bounds(means, np.ones(means.size))
    interval = compute_mean_interval(means, attempts)
    assert interval.low >= wilsons.low - 1e-12
    assert interval.high <= wilsons.high + 1e-12


@given(rates, st.randoms())
def test_interval_of_a_mean_does_not_depend_on_the_order_of_evals(
    given_rates: tuple[Floats, Floats], random: Random
) -> None:
    """Shuffled evals give the same ends."""
    means, attempts = given_rates
    order = list(range(means.size))
    random.shuffle(order)
    interval, shuffled = (
        compute_mean_interval(means, attempts),
        compute_mean_interval(means[order], attempts),
    )
    assert (interval.low, interval.high) == pytest.approx((shuffled.low, shuffled.high))


@given(rates)
def test_failures_mirror_the_interval_of_passes(given_rates: tuple[Floats, Floats]) -> None:
    """Pass and fail are treated alike."""
    means, attempts = given_rates
    interval, mirrored = (
        compute_mean_interval(means, attempts),
        compute_mean_interval(1 - means, attempts),
    )
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - interval.high, 1 - interval.low))


@given(st.integers(1, 100).flatmap(lambda n: st.tuples(st.integers(0, n - 1), st.just(n))))
def test_one_more_pass_raises_both_ends(counts: tuple[int, int]) -> None:
    """With single attempts the interval follows the score."""
    passed, of = counts
    less, more = (
        compute_mean_interval(*make_single_attempts(passed, of)),
        compute_mean_interval(*make_single_attempts(passed + 1, of)),
    )
    assert less.low < more.low
    assert less.high < more.high or more.high == 1


def make_differences(only_first: int, only_second: int, same: int) -> Floats:
    """Return the differences of a matched-pairs table."""
    return np.repeat([1.0, -1.0, 0.0], [only_first, only_second, same])


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 60))
def test_single_attempts_give_the_interval_of_agresti_and_min(
    only_first: int, only_second: int, same: int
) -> None:
    """Half an eval added to each cell of the 2 x 2 table, then Wald's interval, cut at -1 and 1."""
    n, b, c = only_first + only_second + same + 2, only_first + 0.5, only_second + 0.5
    half = 1.959963984540054 * math.sqrt(b + c - (b - c) ** 2 / n) / n
    middle = (b - c) / n
    if n == 2:
        return
    interval = compute_difference_interval(make_differences(only_first, only_second, same))
    assert interval.low == pytest.approx(max(-1, middle - half))
    assert interval.high == pytest.approx(min(1, middle + half))


@given(st.integers(0, 20), st.integers(0, 20), st.integers(1, 40))
def test_single_attempts_agree_with_weighted_statistics_of_statsmodels(
    only_first: int, only_second: int, same: int
) -> None:
    """The same by another road: a mean and its error over evals with the added ones as weights."""
    weights = [only_first + 0.5, only_second + 0.5, same + 1.0]
    mean, error = second_opinion.compute_weighted_mean_and_error([1.0, -1.0, 0.0], weights)
    interval = compute_difference_interval(make_differences(only_first, only_second, same))
    assert interval.low == pytest.approx(max(-1, mean - 1.959963984540054 * error))


def test_published_table_gives_the_published_difference() -> None:
    """Agresti's table of approval ratings (794, 150, 86, 570): a fall of 4 points, 2 to 6."""
    interval = compute_difference_interval(make_differences(86, 150, 794 + 570))
    assert interval.low == pytest.approx(-0.0587, abs=2e-4)
    assert interval.high == pytest.approx(-0.0213, abs=2e-4)


differences = st.lists(
    st.integers(-6, 6).map(lambda sixths: sixths / 6), min_size=1, max_size=40
).map(make_floats)


@given(differences)
def test_interval_of_a_difference_is_a_proper_one(each: Floats) -> None:
    """The interval stays between -1 and 1 and never is +-0, even without any difference."""
    interval = compute_difference_interval(each)
    assert -1 <= interval.low < interval.high <= 1


@given(differences)
def test_swapping_sides_mirrors_the_interval(each: Floats) -> None:
    """A against B is B against A with the other sign."""
    interval, swapped = compute_difference_interval(each), compute_difference_interval(-each)
    assert (swapped.low, swapped.high) == pytest.approx((-interval.high, -interval.low))


def test_no_difference_at_all_is_less_sure_over_fewer_evals() -> None:
    """Two models alike on 14 evals may differ by more than two that are alike on 100."""
    few, many = (
        compute_difference_interval(np.zeros(14)),
        compute_difference_interval(np.zeros(100)),
    )
    assert few.high == pytest.approx(-few.low)
    assert few.high == pytest.approx(1.959963984540054 / 16)
    assert compute_width(many) < compute_width(few)


def test_many_at_once_are_the_same_as_one_by_one() -> None:
    """The matrix form that ranks use is the plain form for every pair."""
    each = np.random.default_rng(1).integers(-3, 4, size=(7, 20)) / 3
    bounds = compute_difference_bounds(each)
    singly = [compute_difference_interval(row) for row in each]
    assert bounds.low.tolist() == pytest.approx([row.low for row in singly])
    assert bounds.high.tolist() == pytest.approx([row.high for row in singly])


def compute_width(interval: Interval) -> float:
    """Return the distance between the ends."""
    return interval.high - interval.low
