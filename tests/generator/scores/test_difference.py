"""When two sides are said to differ, against second implementations and by simulation."""

import itertools
from math import comb
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.scores.difference import (
    LEVEL,
    Conclusion,
    SideCounts,
    difference,
    within_evals,
)
from generator.scores.significance import mcnemar_exact
from tests.generator.scores import second_opinion

SEED: Final = 20_261_124


def side(passed: list[int], judged: list[int]) -> SideCounts:
    """Return what a side did."""
    return SideCounts(np.array(passed, dtype=np.int32), np.array(judged, dtype=np.int32))


def by_listing(first: SideCounts, second: SideCounts) -> float:
    """Return the p-value by listing every exchange of attempts within every eval."""
    tables: list[list[tuple[float, float]]] = []
    for place in range(first.judged.size):
        n, m = int(first.judged[place]), int(second.judged[place])
        attempts = [1] * int(first.passed[place] + second.passed[place])
        attempts += [0] * (n + m - len(attempts))
        outcomes: list[tuple[float, float]] = []
        for chosen in itertools.combinations(range(n + m), m):
            later = sum(attempts[one] for one in chosen)
            outcomes.append((later / m - (sum(attempts) - later) / n, 1 / comb(n + m, m)))
        tables.append(outcomes)
    seen = abs(float((second.means - first.means).sum()))
    total = 0.0
    for each in itertools.product(*tables):
        if abs(sum(value for value, _ in each)) >= seen - 1e-9:
            total += float(np.prod([chance for _, chance in each]))
    return total


evals = st.lists(
    st.tuples(st.integers(1, 3), st.integers(1, 2)).flatmap(
        lambda sizes: st.tuples(
            st.integers(0, sizes[0]), st.just(sizes[0]), st.integers(0, sizes[1]), st.just(sizes[1])
        )
    ),
    min_size=1,
    max_size=3,
)


@given(evals)
@settings(max_examples=60)
def test_exchanges_within_evals_are_counted_exactly(rows: list[tuple[int, int, int, int]]) -> None:
    """Listing every exchange gives the same p-value."""
    passed, judged, later_passed, later_judged = (list(one) for one in zip(*rows, strict=True))
    first, second = side(passed, judged), side(later_passed, later_judged)
    assert within_evals(first, second) == pytest.approx(by_listing(first, second))


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30))
def test_for_single_attempts_it_is_mcnemars_test(rows: list[tuple[int, int]]) -> None:
    """Only evals on which the sides differ can be exchanged to any effect."""
    passed, later = (list(one) for one in zip(*rows, strict=True))
    ones = [1] * len(rows)
    gained = sum(b > a for a, b in rows)
    lost = sum(a > b for a, b in rows)
    found = within_evals(side(passed, ones), side(later, ones))
    assert found == pytest.approx(mcnemar_exact(gained, lost))


def test_for_one_eval_it_is_fishers_exact_test() -> None:
    """With attempts of one eval only, the table is two by two; equal sizes make it symmetric."""
    expected = second_opinion.fisher([[2, 8], [7, 3]])
    assert within_evals(side([2], [10]), side([7], [10])) == pytest.approx(expected)


def test_drawn_exchanges_agree_with_counted_ones() -> None:
    """Where the grid is too long, 20,000 draws come within their own error."""
    dice = np.random.default_rng(SEED)
    passed = dice.integers(0, 4, 40).tolist()
    later = dice.integers(0, 3, 40).tolist()
    first, second = side(passed, [3] * 40), side(later, [2] * 40)
    counted = within_evals(first, second)
    # 7, 11 and 13 attempts have a unit of 1,001: over 40 evals that is more than 50,000 places.
    drawn = within_evals(
        side([*passed, 7, 11, 13], [3] * 40 + [7, 11, 13]),
        side([*later, 7, 11, 13], [2] * 40 + [7, 11, 13]),
    )
    assert drawn == pytest.approx(counted, abs=0.02)


@pytest.mark.parametrize(("first_runs", "second_runs"), [(1, 1), (3, 1), (10, 1), (3, 3)])
def test_one_model_differs_from_itself_at_most_5_times_in_100(
    first_runs: int, second_runs: int
) -> None:
    """2,000 pairs of sides with the same chances, 60 evals from hopeless to certain."""
    dice = np.random.default_rng(SEED)
    wrong = 0
    for _ in range(2_000):
        chances = dice.beta(0.5, 0.3, 60)
        first = side(dice.binomial(first_runs, chances).tolist(), [first_runs] * 60)
        second = side(dice.binomial(second_runs, chances).tolist(), [second_runs] * 60)
        found = difference(first, second, one_model=True)
        wrong += found.conclusion in {Conclusion.BETTER, Conclusion.WORSE}
    assert wrong / 2_000 <= LEVEL + 0.01


def test_a_change_that_is_large_enough_is_found() -> None:
    """Six evals fixed and none broken of 66 is the least that single attempts can show."""
    ones = [1] * 66
    for fixed, expected in ((5, Conclusion.NOISE), (6, Conclusion.BETTER)):
        found = difference(
            side([0] * fixed + [1] * (66 - fixed), ones), side(ones, ones), one_model=True
        )
        assert (found.conclusion, found.fixed, found.broken) == (expected, tuple(range(fixed)), ())
    worse = difference(side(ones, ones), side([0] * 6 + [1] * 60, ones), one_model=True)
    assert worse.conclusion is Conclusion.WORSE


def test_too_few_evals_show_nothing() -> None:
    """Five evals, all fixed, are p = 0.06: it is said that none could have been shown."""
    found = difference(side([0] * 5, [1] * 5), side([1] * 5, [1] * 5), one_model=True)
    assert found.conclusion is Conclusion.TOO_FEW


def test_two_models_are_compared_in_the_mean() -> None:
    """With several attempts their test is the sign flip, for they differ eval by eval anyway."""
    found = difference(side([1, 3, 0], [3] * 3), side([2, 3, 1], [3] * 3), one_model=False)
    assert found.test == "sign_flip"
