"""The best value: by hand, and over simulated boards without a best value."""

import math
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from generator.render.template_filters import describe_p_value
from generator.scores.best_value import find_best_value
from generator.scores.differences.difference import PairedDifference, compare_sides
from generator.scores.intervals import Interval, compute_mean_bounds
from generator.scores.score_estimate import Estimate, PerAttempt
from generator.scores.score_table import ScoredRow
from tests.generator.scores.making import make_rng, make_side
from tests.generator.scores.second_opinion import compute_normal_below, compute_normal_quantile

if TYPE_CHECKING:
    from generator.scores.inputs import Pool

pytestmark = pytest.mark.unit

EVALS = 66
BOARDS = 600


def make_priced_row(score: float, cost_usd: float, interval: Interval | None = None) -> ScoredRow:
    """Return the row of a model; its interval is 8 points to each side unless it is given."""
    usual = Interval(score - 0.08, min(score + 0.08, 1))
    none = PerAttempt(None, 0, 0)
    return ScoredRow(
        pool=cast("Pool", None),
        rank=None,
        score=Estimate(score, interval or usual, EVALS, EVALS),
        categories={},
        levels={},
        tests=None,
        attributed=None,
        cost_usd=PerAttempt(cost_usd, EVALS, EVALS),
        generation_s=none,
        input_tokens=none,
        output_tokens=none,
        rerun=None,
        passes_all={},
    )


def test_the_most_passes_for_a_dollar_are_named_with_the_next() -> None:
    """80 passes for $0.80 are a cent each, and 90 for $9 ten cents."""
    dear, cheap = make_priced_row(0.9, 0.09), make_priced_row(0.8, 0.008)
    assert find_best_value([dear, cheap]) == (cheap, dear)
    assert (cheap.cost_per_pass, dear.cost_per_pass) == pytest.approx((0.01, 0.1))


@pytest.mark.parametrize(
    "models",
    [
        [],
        [make_priced_row(0.8, 0.008)],
        [make_priced_row(0.8, 0.008), make_priced_row(0.4, 0.00001)],
        [make_priced_row(0.8, 0.0), make_priced_row(0.9, 0.09)],
        [make_priced_row(0.8, 0.008), make_priced_row(0.9, 0.0095)],
    ],
    ids=["none", "alone", "bad", "free", "near"],
)
def test_nothing_is_named_that_the_numbers_do_not_show(models: list[ScoredRow]) -> None:
    """There is no other model, none that passes half, a free model, or intervals that meet."""
    assert find_best_value(models) is None


def simulate_scores(rng: np.random.Generator, prices: list[float], runs: int) -> list[ScoredRow]:
    """Return models of true scores between 55% and 95% with these true prices of a pass."""
    true = rng.uniform(0.55, 0.95, size=(len(prices), 1))
    skill = compute_normal_quantile(true) * math.sqrt(2)
    chance = compute_normal_below(skill + rng.standard_normal((1, EVALS)))
    rates = rng.binomial(runs, chance) / runs
    bounds = compute_mean_bounds(rates, np.full(rates.shape, float(runs)))
    return [
        make_priced_row(
            float(rates[number].mean()),
            price * float(true[number, 0]),
            Interval(float(bounds.low[number]), float(bounds.high[number])),
        )
        for number, price in enumerate(prices)
    ]


@pytest.mark.parametrize("models", [2, 6, 12])
@pytest.mark.parametrize("runs", [1, 3])
def test_models_of_equal_value_are_seldom_distinguished(models: int, runs: int) -> None:
    """The sentence on value is wrong on at most 5 of 100 boards where a pass costs all alike."""
    rng = make_rng(models + runs)
    claims = [
        find_best_value(simulate_scores(rng, [0.01] * models, runs)) is not None
        for _ in range(BOARDS)
    ]
    assert 100 * sum(claims) / BOARDS <= 5


def test_a_pass_for_half_the_price_is_reported() -> None:
    """The sentence names the right model on at least 80 boards of 100, and never another."""
    rng = make_rng(5)
    boards = [simulate_scores(rng, [0.02, 0.01, 0.02], 1) for _ in range(BOARDS)]
    named = [
        None if (best := find_best_value(rows)) is None else rows.index(best[0]) for rows in boards
    ]
    assert named.count(1) >= 0.8 * BOARDS
    assert {*named} <= {1, None}


def without_effect(rng: np.random.Generator) -> PairedDifference:
    """Return the difference of two sides of one model that are asked in the same way."""
    chance = compute_normal_below(1.0 + 1.5 * rng.standard_normal(EVALS))
    passed = [rng.binomial(1, chance).tolist() for _ in range(2)]
    return compare_sides(make_side(passed[0], [1] * EVALS), make_side(passed[1], [1] * EVALS))


def test_chance_makes_a_difference_as_often_as_the_sentence_states() -> None:
    """Guidelines without an effect: "about k times in 100" or fewer is written k times in 100."""
    rng = make_rng(11)
    p_values = np.array([without_effect(rng).p_value for _ in range(400)])
    for level in (0.055, 0.105, 0.205):
        assert (p_values <= level).mean() <= level + 0.03
    assert describe_p_value(0.104) == "about 10 times in 100"


@pytest.mark.parametrize(
    ("p_value", "words"),
    [
        (0.0004, "less than once in 100 times"),
        (0.01, "about once in 100 times"),
        (0.19, "about 19 times in 100"),
        (0.999, "nearly always"),
    ],
)
def test_odds_are_reported_in_hundredths(p_value: float, words: str) -> None:
    """The words are neither "never" nor "always": chance can do anything."""
    assert describe_p_value(p_value) == words
