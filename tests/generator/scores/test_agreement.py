"""Agreement of reviewers: against published values and a second implementation."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.scores import agreement
from generator.scores.intervals import Floats
from tests.generator.scores import second_opinion
from tests.generator.scores.making import make_rng, mark_at_night

pytestmark = pytest.mark.unit

PUBLISHED = (
    "1 2 3 3 2 1 4 1 2 * * *",
    "1 2 3 3 2 2 4 1 2 5 * 3",
    "* 3 3 3 2 3 4 2 2 5 1 *",
    "1 2 3 3 2 4 4 1 2 5 1 *",
)
"""Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers."""


def compute_alpha_by_pairs(units: list[list[int]], levels: int) -> float | None:
    """Return alpha by definition: disagreement of pairs within units over that of all pairs."""
    paired = [unit for unit in units if len(unit) > 1]
    values = [value for unit in paired for value in unit]
    counts = [values.count(level) for level in range(levels)]

    def compute_distance(a: int, b: int) -> float:
        low, high = sorted((a, b))
        return (sum(counts[low : high + 1]) - (counts[low] + counts[high]) / 2) ** 2

    within = sum(
        sum(compute_distance(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1)
        for unit in paired
    )
    among = sum(compute_distance(a, b) for a, b in permutations(values, 2))
    if not among:
        return None
    return 1 - (within / len(values)) / (among / (len(values) * (len(values) - 1)))


def test_alpha_is_the_published_one() -> None:
    """Ordinal values of four observers, with gaps, give 0.815."""
    columns = zip(*(line.split() for line in PUBLISHED), strict=True)
    units = [[int(value) - 1 for value in column if value != "*"] for column in columns]
    alpha = agreement.compute_ordinal_alpha(units, 5)
    assert alpha is not None
    assert round(alpha, 3) == 0.815


@given(st.lists(st.lists(st.integers(0, 2), max_size=4), min_size=1, max_size=25))
def test_alpha_is_that_of_a_second_implementation(units: list[list[int]]) -> None:
    """Alpha agrees for any judgements by any number of reviewers."""
    expected = compute_alpha_by_pairs(units, 3)
    alpha = agreement.compute_ordinal_alpha(units, 3)
    if expected is None:
        assert alpha is None
    else:
        assert alpha == pytest.approx(expected)


def test_agreement_is_shown_from_twenty_units_on() -> None:
    """Units that one person judged do not count."""
    pairs = [[0, 0], [2, 2]] * 9 + [[1, 2]]
    assert agreement.compute_agreement([*pairs, [1], []], 3) is None
    estimate = agreement.compute_agreement([*pairs, [0, 0]], 3)
    assert estimate is not None
    assert estimate.raw == 0.95
    assert estimate.alpha is not None
    assert estimate.interval is not None
    assert estimate.interval.low < estimate.alpha < estimate.interval.high <= 1
    assert agreement.compute_agreement([*pairs, [0, 0]], 3) == estimate


def test_equal_judgements_prove_nothing() -> None:
    """Without any disagreement, chance would agree as well."""
    estimate = agreement.compute_agreement([[1, 1]] * 30, 3)
    assert estimate is not None
    assert (estimate.raw, estimate.alpha, estimate.interval) == (1.0, None, None)


@pytest.mark.parametrize(
    ("times", "least", "most"),
    [(40, 87, 100), pytest.param(300, 91, 98, marks=pytest.mark.night)],
)
def test_intervals_of_alpha_hold_the_true_one(times: int, least: int, most: int) -> None:
    """60 double judgements by reviewers with known chances of error, drawn ``times`` times."""
    rng = make_rng(5)

    def draw_units(units: int) -> list[list[int]]:
        true = rng.integers(0, 3, size=units)
        noise = rng.random((units, 2)) < 0.25
        other = rng.integers(0, 3, size=(units, 2))
        return np.where(noise, other, true[:, None]).tolist()

    true = agreement.compute_ordinal_alpha(draw_units(40_000), 3)
    assert true is not None
    held = 0
    for _ in range(times):
        estimate = agreement.compute_agreement(draw_units(60), 3)
        assert estimate is not None
        assert estimate.interval is not None
        held += estimate.interval.low <= true <= estimate.interval.high
    assert least <= 100 * held / times <= most


tables = st.lists(
    st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=3, max_size=3
).filter(lambda table: sum(map(sum, table)) > 0)


def test_a_published_table_has_its_published_kappa() -> None:
    """Cohen (1960), table 1: 200 diagnoses of two judges, kappa 0.492."""
    kappa = agreement.compute_cohens_kappa([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    assert kappa is not None
    assert kappa.value == pytest.approx(0.492, abs=5e-4)


@given(tables)
def test_kappa_is_that_of_statsmodels(table: list[list[int]]) -> None:
    """Kappa agrees for any table, and is None where it is not defined."""
    expected = second_opinion.compute_cohens_kappa(table)
    kappa = agreement.compute_cohens_kappa(table)
    if math.isnan(expected):
        assert kappa is None
    else:
        assert kappa is not None
        assert kappa.value == pytest.approx(expected)
        assert -1 <= kappa.interval.low <= kappa.value <= kappa.interval.high <= 1


@pytest.mark.parametrize("table", [[[0, 0], [0, 0]], [[7, 0], [0, 0]], [[0, 0], [0, 1]]])
def test_judges_with_a_single_status_have_no_kappa(table: list[list[int]]) -> None:
    """Chance alone would make them agree as often."""
    assert agreement.compute_cohens_kappa(table) is None


def test_few_observations_that_all_agree_leave_doubt() -> None:
    """The interval of three is wide, that of 300 is narrow, and both end at 1."""
    few = agreement.compute_cohens_kappa([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    many = agreement.compute_cohens_kappa([[100, 0, 0], [0, 100, 0], [0, 0, 100]])
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
        if (estimate := agreement.compute_cohens_kappa(table.reshape(3, 3).tolist())) is not None
    ]
    held = sum(interval.low <= kappa <= interval.high for interval in intervals) / len(intervals)
    assert held > (0.91 if number >= 50 else 0.86)
