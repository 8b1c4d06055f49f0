"""The trend of scores over time, against scipy and by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.scores.trend import FEWEST_MODELS, compute_trend
from tests.generator.scores.second_opinion import compute_kendall

pytestmark = pytest.mark.unit


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6).map(float)), min_size=5, max_size=12)
)
def test_tau_is_scipys(pairs: list[tuple[int, float]]) -> None:
    """Tau agrees with ties in days and in scores, and is None where either never changes."""
    days, scores = [day for day, _ in pairs], [score for _, score in pairs]
    estimate = compute_trend(days, scores)
    theirs, _ = compute_kendall(days, scores)
    if np.isnan(theirs):
        assert estimate is None
    else:
        assert estimate is not None
        assert estimate.tau == pytest.approx(theirs)


@pytest.mark.parametrize("number", [5, 6, 7])
def test_without_ties_the_p_value_is_exact(number: int) -> None:
    """This holds for every number of models where all orders are listed."""
    dice = np.random.default_rng(number)
    for _ in range(5):
        scores = dice.permutation(number).astype(float).tolist()
        estimate = compute_trend(range(number), scores)
        assert estimate is not None
        _, theirs = compute_kendall(range(number), scores)
        assert estimate.p_value == pytest.approx(theirs)


def test_of_many_models_the_p_value_is_near() -> None:
    """With drawn orders the p-value is within five standard errors, and never 0."""
    dice = np.random.default_rng(3)
    for steepness in (0.0, 0.05, 10.0):
        scores = (steepness * np.arange(30) + dice.normal(size=30)).tolist()
        estimate = compute_trend(range(30), scores)
        assert estimate is not None
        _, theirs = compute_kendall(range(30), scores)
        assert abs(estimate.p_value - theirs) <= 5 * (0.25 / 2000) ** 0.5
        assert estimate.p_value > 0


@pytest.mark.more
@pytest.mark.parametrize("boards", [50, pytest.param(400, marks=pytest.mark.night)])
def test_models_without_a_trend_seldom_show_one(boards: int) -> None:
    """At most 5 of 100 boards have a trend, within the error of this number of boards."""
    dice = np.random.default_rng(5)
    trends = 0
    for _ in range(boards):
        estimate = compute_trend(range(7), dice.normal(size=7).tolist())
        trends += estimate is not None and estimate.is_shown
    assert trends / boards <= 0.05 + 3 * (0.05 * 0.95 / boards) ** 0.5


def test_few_models_have_no_trend() -> None:
    """For four models even the steepest order may be chance; for five it is a trend."""
    assert compute_trend(range(FEWEST_MODELS - 1), [1.0, 2.0, 3.0, 4.0]) is None
    estimate = compute_trend(range(FEWEST_MODELS), [1.0, 2.0, 3.0, 4.0, 5.0])
    assert estimate is not None
    assert estimate.is_shown
    assert estimate.tau == 1
    assert estimate.p_value == pytest.approx(2 / 120)
