"""Cohen's kappa: a published value, a second implementation, and the coverage of its interval."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.scores.agreement import compute_cohens_kappa
from generator.scores.intervals import Floats
from tests.generator.scores import second_opinion
from tests.generator.scores.making import make_rng, mark_at_night

pytestmark = pytest.mark.unit

tables = st.lists(
    st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=3, max_size=3
).filter(lambda table: sum(map(sum, table)) > 0)


def test_a_published_table_has_its_published_kappa() -> None:
    """Cohen (1960), table 1: 200 diagnoses of two judges, kappa 0.492."""
    kappa = compute_cohens_kappa([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    assert kappa is not None
    assert kappa.value == pytest.approx(0.492, abs=5e-4)


@given(tables)
def test_kappa_is_that_of_statsmodels(table: list[list[int]]) -> None:
    """Kappa agrees for any table, and is None where it is not defined."""
    expected = second_opinion.compute_cohens_kappa(table)
    kappa = compute_cohens_kappa(table)
    if math.isnan(expected):
        assert kappa is None
    else:
        assert kappa is not None
        assert kappa.value == pytest.approx(expected)
        assert -1 <= kappa.interval.low <= kappa.value <= kappa.interval.high <= 1


@pytest.mark.parametrize("table", [[[0, 0], [0, 0]], [[7, 0], [0, 0]], [[0, 0], [0, 1]]])
def test_judges_with_a_single_status_have_no_kappa(table: list[list[int]]) -> None:
    """Chance alone would make them agree as often."""
    assert compute_cohens_kappa(table) is None


def test_few_observations_that_all_agree_leave_doubt() -> None:
    """The interval of three is wide, that of 300 is narrow, and both end at 1."""
    few = compute_cohens_kappa([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    many = compute_cohens_kappa([[100, 0, 0], [0, 100, 0], [0, 0, 100]])
    assert few is not None
    assert many is not None
    assert few.interval.high == many.interval.high == 1
    assert few.interval.low < 0.6
    assert many.interval.low > 0.95


def make_population(base: tuple[float, float, float], kappa: float) -> Floats:
    """Return the shares of cells of two judges with the same base rates and this kappa."""
    shares = np.array(base)
    return kappa * np.diag(shares) + (1 - kappa) * np.outer(shares, shares)


EVEN, SKEWED = (0.3, 0.4, 0.3), (0.05, 0.15, 0.8)
CASES = [
    (number, kappa, base)
    for number in (10, 20, 50, 200)
    for kappa in (0.0, 0.4, 0.8, 0.95)
    for base in (EVEN, SKEWED)
]


@pytest.mark.parametrize(
    ("number", "kappa", "base"),
    mark_at_night(CASES, but=[(10, 0.8, SKEWED), (50, 0.4, EVEN)]),
)
def test_intervals_hold_the_true_kappa(
    number: int, kappa: float, base: tuple[float, float, float]
) -> None:
    """The rate is at least 86 in 100, even for ten observations, and 91 for 50 or more."""
    drawn = make_rng(number).multinomial(number, make_population(base, kappa).ravel(), size=500)
    intervals = [
        estimate.interval
        for table in drawn
        if (estimate := compute_cohens_kappa(table.reshape(3, 3).tolist())) is not None
    ]
    held = sum(interval.low <= kappa <= interval.high for interval in intervals) / len(intervals)
    assert held > (0.91 if number >= 50 else 0.86)
