"""P-values of all pairs of a board together: exact where countable, and never false."""

import math
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.scores.differences.difference import LEVEL, compare_sides, correct_by_holm
from generator.scores.differences.model_pairs import compute_pair_p_values, compute_step_down
from generator.scores.inputs import SideCounts
from generator.scores.intervals import Floats
from generator.scores.score_table import rank_ranges
from tests.generator.scores.making import make_rng, mark_at_night
from tests.generator.scores.second_opinion import compute_normal_below, compute_normal_quantile

pytestmark = pytest.mark.unit

EVALS = 70
SPREAD = 1.5
"""Standard deviation of the difficulties of evals."""


def draw_sides(
    rng: np.random.Generator, runs: int, chances: Floats, own: float
) -> list[SideCounts]:
    """Return models with these true scores; ``own`` is each model's own spread over the evals."""
    common = SPREAD * rng.standard_normal(EVALS)
    scale = math.sqrt(1 + SPREAD**2 + own**2)
    skills = compute_normal_quantile(chances) * scale
    return [
        SideCounts(
            rng.binomial(
                runs, compute_normal_below(skill + common + own * rng.standard_normal(EVALS))
            ).astype(np.int32),
            np.full(EVALS, runs, dtype=np.int32),
        )
        for skill in skills
    ]


def correct_p_values(sides: list[SideCounts]) -> list[float]:
    """Return the corrected p-values of all pairs, in the order of `combinations`."""
    pairs = list(combinations(range(len(sides)), 2))
    return [p.corrected for p in compute_pair_p_values(sides, pairs)]


_SMALL = (6, 1, 100, 0.75)
_BOARDS = [
    (*board, own)
    for board in [_SMALL[:3], *((models, runs, 800) for models in (6, 12) for runs in (1, 3, 10))]
    for own in (0.0, 0.75)
]


@pytest.mark.more
@pytest.mark.parametrize(("models", "runs", "boards", "own"), mark_at_night(_BOARDS, but=[_SMALL]))
def test_any_two_of_equal_models_are_distinguished_on_2_to_5_boards_of_100(
    models: int, runs: int, boards: int, own: float
) -> None:
    """Models are equal at each eval or in the mean; the limits allow for chance over the boards."""
    rng = make_rng(100 * models + runs)
    apart = sum(
        min(correct_p_values(draw_sides(rng, runs, np.full(models, 0.8), own))) < LEVEL
        for _ in range(boards)
    )
    chance = 2 * math.sqrt(0.05 * 0.95 / boards)
    assert 0.02 - chance <= apart / boards <= 0.05 + chance


def compute_mean_width(sides: list[SideCounts], corrected: list[float]) -> float:
    """Return the mean number of places that a model may have."""
    models = len(sides)
    apart = sum(p < LEVEL for p in corrected)
    return models - 2 * apart / models


@pytest.mark.more
@pytest.mark.parametrize("runs", [1, pytest.param(3, marks=pytest.mark.night)])
def test_ranges_of_ranks_are_7_percent_narrower_than_by_holm(runs: int) -> None:
    """Eight models have true scores from 91 to 55%; both methods see the same 60 boards."""
    rng = make_rng(8)
    ours = by_holm = 0.0
    for _ in range(60):
        sides = draw_sides(rng, runs, np.linspace(0.91, 0.55, 8), 0.0)
        pairs = compute_pair_p_values(sides, list(combinations(range(8), 2)))
        ranks = rank_ranges(sides)
        ours += sum(rank.high - rank.low + 1 for rank in ranks) / len(ranks)
        by_holm += compute_mean_width(sides, correct_by_holm([p.alone for p in pairs]))
    assert ours <= 0.93 * by_holm


def test_more_models_make_each_pair_harder_to_distinguish() -> None:
    """66 and 60 of 66 alone are shown to differ; among eight others of 60 they are not."""
    failed = [range(0), *(range(6 * model, 6 * model + 6) for model in range(9))]
    passes = np.array([[int(number not in failing) for number in range(66)] for failing in failed])
    attempts = np.ones(66, dtype=np.int32)
    sides = [SideCounts(row.astype(np.int32), attempts) for row in passes]
    assert [(rank.low, rank.high) for rank in rank_ranges(sides[:2])] == [(1, 1), (2, 2)]
    assert {(rank.low, rank.high) for rank in rank_ranges(sides)} == {(1, 10)}


def test_two_models_are_not_corrected() -> None:
    """A single pair has no other pair to be corrected for."""
    sides = draw_sides(make_rng(1), 3, np.array([0.9, 0.6]), 0.0)
    (p,) = compute_pair_p_values(sides, [(0, 1)])
    assert p.corrected == p.alone == pytest.approx(compare_sides(*sides).p_value)


@given(st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=4, max_size=4))
def test_the_largest_statistic_of_a_small_board_is_counted_right(passes: list[list[int]]) -> None:
    """Three models, four evals, one attempt each: the draws come close to listing all exchanges."""
    table = np.array(passes)  # evals x models
    pairs = list(combinations(range(3), 2))

    def compute_largest(rows: Floats) -> float:
        """Return the largest difference of any pair in standard errors, by numpy's own variance."""
        values = [0.0]
        for first, second in pairs:
            differences = rows[:, first] - rows[:, second]
            error = max(float(differences.var()) * 4, 1e-6)
            values.append(abs(float(differences.sum())) / math.sqrt(error))
        return max(values)

    arranged = [sorted(set(permutations(row))) for row in passes]
    seen = compute_largest(table.astype(float))
    every = [compute_largest(np.array(rows, dtype=float)) for rows in product(*arranged)]
    exact = sum(value >= seen - 1e-6 for value in every) / len(every)
    passed = table.T.astype(np.int32)
    p_value = min(compute_step_down(passed, np.ones_like(passed), pairs))
    assert p_value == pytest.approx(exact, abs=0.1)


@given(st.permutations(range(5)))
def test_the_order_of_the_models_changes_nothing(order: list[int]) -> None:
    """A pair has the same p-value in every order; equal models have equal p-values."""
    sides = draw_sides(make_rng(3), 3, np.array([0.9, 0.8, 0.8, 0.6, 0.5]), 0.3)
    sides[2] = sides[1]
    pairs = list(combinations(range(5), 2))
    usual = dict(zip(pairs, correct_p_values(sides), strict=True))
    turned = dict(zip(pairs, correct_p_values([sides[model] for model in order]), strict=True))
    for first, second in pairs:
        lower, higher = sorted((order[first], order[second]))
        assert turned[first, second] == usual[lower, higher]
    assert usual[0, 1] == usual[0, 2]
    assert usual[1, 3] == usual[2, 3]
