"""Tests of significance against published values and second implementations."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.scores.intervals import Floats, centre_and_error
from generator.scores.significance import (
    common_unit,
    mcnemar_exact,
    sign_flip,
    smallest_effect,
)
from tests.generator.scores import second_opinion

DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Eighths of an inch by which crossed plants of maize outgrew self-fertilised ones."""


def test_sign_flips_give_fishers_count_for_darwins_maize() -> None:
    """Fisher (1935, section 21) counted 863 of 32,768 choices in each direction."""
    each = np.array(DARWIN) / 100
    assert sign_flip(each, 100) == pytest.approx(2 * 863 / 32768)


def test_drawn_sign_flips_come_close_to_the_exact_count() -> None:
    """Without a common unit 20,000 seeded choices are drawn, always the same."""
    each = np.array(DARWIN) / 100
    assert sign_flip(each, None) == pytest.approx(2 * 863 / 32768, abs=0.005)
    assert sign_flip(each, None) == sign_flip(each, None)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_that_of_statsmodels(only_first: int, only_second: int) -> None:
    """A second implementation agrees on every table that has a difference."""
    if only_first + only_second == 0:
        assert mcnemar_exact(0, 0) == 1
        return
    theirs = second_opinion.mcnemar(only_first, only_second)
    assert mcnemar_exact(only_first, only_second) == pytest.approx(min(1.0, theirs))


@given(st.integers(0, 25), st.integers(0, 25), st.integers(0, 10))
def test_sign_flips_of_single_attempts_are_mcnemars_exact_test(
    only_first: int, only_second: int, same: int
) -> None:
    """Flipping signs of -1 and 1 is tossing coins."""
    each = np.repeat([1.0, -1.0, 0.0], [only_first, only_second, same])
    assert sign_flip(each, 1) == pytest.approx(mcnemar_exact(only_first, only_second))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=2, max_size=9))
def test_sign_flips_are_those_of_scipy(sixths: list[int]) -> None:
    """It goes through every choice of signs, for a few evals."""
    each = np.array(sixths, dtype=np.float64) / 6
    assert sign_flip(each, 6) == pytest.approx(second_opinion.sign_flips(sixths))


def floats(values: Sequence[float]) -> Floats:
    """Return an array."""
    return np.array(values, dtype=np.float64)


differences = st.lists(
    st.integers(-6, 6).map(lambda sixths: sixths / 6), min_size=1, max_size=40
).map(floats)


@given(differences, st.sampled_from([6, None]))
@settings(max_examples=40, deadline=None)
def test_p_values_are_probabilities_whichever_side_is_first(each: Floats, unit: int | None) -> None:
    """Between 0 and 1, never 0, and the same with the sides swapped."""
    p_value = sign_flip(each, unit)
    assert 0 < p_value <= 1
    assert sign_flip(-each, unit) == pytest.approx(p_value)


@given(differences)
def test_evals_without_a_difference_do_not_move_a_p_value(each: Floats) -> None:
    """What neither side did differently says nothing about which is better."""
    assert sign_flip(np.append(each, [0.0, 0.0]), 6) == sign_flip(each, 6)


def test_common_unit_makes_rates_of_unlike_attempts_whole() -> None:
    """Three runs against two make differences of sixths; too many unlike ones have no unit."""
    assert common_unit([3, 3], [2, 2]) == 6
    assert common_unit(range(1, 40)) is None


def test_smallest_effect_is_that_of_a_power_analysis() -> None:
    """A second implementation solves the power of a z test for the effect, in units of spread."""
    each = np.repeat([1.0, -1.0, 0.0], [11, 3, 52])
    spread = float(centre_and_error(each)[1]) * each.size**0.5
    standardised = second_opinion.effect_seen_with_power(each.size, 0.8)
    assert smallest_effect(each) == pytest.approx(standardised * spread, rel=1e-4)
