"""Agreement of reviewers: against published values and a second implementation."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.scores.agreement import compute_agreement, compute_ordinal_alpha
from tests.generator.scores.making import make_rng

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
    alpha = compute_ordinal_alpha(units, 5)
    assert alpha is not None
    assert round(alpha, 3) == 0.815


@given(st.lists(st.lists(st.integers(0, 2), max_size=4), min_size=1, max_size=25))
def test_alpha_is_that_of_a_second_implementation(units: list[list[int]]) -> None:
    """Alpha agrees for any judgements by any number of reviewers."""
    expected = compute_alpha_by_pairs(units, 3)
    alpha = compute_ordinal_alpha(units, 3)
    if expected is None:
        assert alpha is None
    else:
        assert alpha == pytest.approx(expected)


def test_agreement_is_shown_from_twenty_units_on() -> None:
    """Units that one person judged do not count."""
    pairs = [[0, 0], [2, 2]] * 9 + [[1, 2]]
    assert compute_agreement([*pairs, [1], []], 3) is None
    estimate = compute_agreement([*pairs, [0, 0]], 3)
    assert estimate is not None
    assert (estimate.units, estimate.raw) == (20, 0.95)
    assert estimate.alpha is not None
    assert estimate.interval is not None
    assert estimate.interval.low < estimate.alpha < estimate.interval.high <= 1
    assert compute_agreement([*pairs, [0, 0]], 3) == estimate


def test_equal_judgements_prove_nothing() -> None:
    """Without any disagreement, chance would agree as well."""
    estimate = compute_agreement([[1, 1]] * 30, 3)
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

    true = compute_ordinal_alpha(draw_units(40_000), 3)
    assert true is not None
    held = 0
    for _ in range(times):
        estimate = compute_agreement(draw_units(60), 3)
        assert estimate is not None
        assert estimate.interval is not None
        held += estimate.interval.low <= true <= estimate.interval.high
    assert least <= 100 * held / times <= most
