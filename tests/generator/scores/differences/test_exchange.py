"""The exact test that exchanges attempts within evals, against second implementations."""

import itertools
from math import comb
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.scores.differences import exchange
from generator.scores.inputs import SideCounts
from tests.generator.scores import second_opinion
from tests.generator.scores.making import make_side

pytestmark = pytest.mark.unit

SEED: Final = 20_261_124


def compute_p_value_by_listing(first: SideCounts, second: SideCounts) -> float:
    """Return the p-value by listing every exchange of attempts within every eval."""
    tables: list[list[tuple[float, float]]] = []
    for index in range(first.judged.size):
        n, m = int(first.judged[index]), int(second.judged[index])
        attempts = [1] * int(first.passed[index] + second.passed[index])
        attempts += [0] * (n + m - len(attempts))
        outcomes: list[tuple[float, float]] = []
        for chosen in itertools.combinations(range(n + m), m):
            later = sum(attempts[position] for position in chosen)
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
def test_exchanges_within_evals_are_counted_exactly(rows: list[tuple[int, int, int, int]]) -> None:
    """Listing every exchange gives the same p-value for any number of attempts of each eval."""
    passed, judged, later_passed, later_judged = (
        list(column) for column in zip(*rows, strict=True)
    )
    first, second = make_side(passed, judged), make_side(later_passed, later_judged)
    assert exchange.compute_exchange_p_value(first, second) == pytest.approx(
        compute_p_value_by_listing(first, second)
    )


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=60))
def test_for_single_attempts_it_is_mcnemars_test(rows: list[tuple[int, int]]) -> None:
    """Only exchanges at evals where the sides differ have an effect; statsmodels agrees."""
    passed, later = (list(column) for column in zip(*rows, strict=True))
    once = [1] * len(rows)
    gained = sum(b > a for a, b in rows)
    lost = sum(a > b for a, b in rows)
    expected = (
        min(1.0, second_opinion.compute_mcnemar_p_value(gained, lost)) if gained + lost else 1.0
    )
    p_value = exchange.compute_exchange_p_value(make_side(passed, once), make_side(later, once))
    assert p_value == pytest.approx(expected, abs=1e-11)


def test_for_one_eval_it_is_fishers_exact_test() -> None:
    """With attempts of one eval only, the table is two by two; equal sizes make it symmetric."""
    expected = second_opinion.compute_fisher_p_value([[2, 8], [7, 3]])
    assert exchange.compute_exchange_p_value(
        make_side([2], [10]), make_side([7], [10])
    ) == pytest.approx(expected)


def test_many_pairs_at_once_are_the_same_as_one_by_one() -> None:
    """700 pairs of 10 against 3 runs at 30 evals, more than are transformed at once."""
    dice = np.random.default_rng(SEED)
    chances = dice.beta(0.5, 0.3, (700, 30))
    first = dice.binomial(10, chances).astype(np.int32)
    second = dice.binomial(3, chances).astype(np.int32)
    p_values = exchange.compute_exchange_p_values(first, 10, second, 3)
    for pair in (0, 1, 511, 512, 699):
        alone = exchange.compute_exchange_p_value(
            make_side(first[pair].tolist(), [10] * 30), make_side(second[pair].tolist(), [3] * 30)
        )
        assert p_values[pair] == pytest.approx(alone)


def test_a_p_value_is_never_zero() -> None:
    """66 evals fixed of 66 have a chance of 1 in 2 to the 65th."""
    p_value = exchange.compute_exchange_p_value(
        make_side([0] * 66, [1] * 66), make_side([1] * 66, [1] * 66)
    )
    assert p_value == exchange.SMALLEST_P


def test_drawn_exchanges_agree_with_counted_ones() -> None:
    """Where the common grid is too long, 20,000 draws agree within their own error."""
    dice = np.random.default_rng(SEED)
    passed = dice.integers(0, 4, 40).tolist()
    later = dice.integers(0, 3, 40).tolist()
    first, second = make_side(passed, [3] * 40), make_side(later, [2] * 40)
    counted = exchange.compute_exchange_p_value(first, second)
    # Evals of 7 to 19 attempts, all passed, have a unit in the millions and change no sum.
    extra = [7, 11, 13, 17, 19]
    drawn = exchange.compute_exchange_p_value(
        make_side([*passed, *extra], [3] * 40 + extra),
        make_side([*later, *extra], [2] * 40 + extra),
    )
    assert drawn == pytest.approx(counted, abs=0.02)
    assert drawn != counted
