"""Sentences on effects, simulated on boards where the truth is known.

Each test tries a sentence of the site that is in no other module of this folder;
`tests/generator/pages/test_promises.py` lists all of them with their tests.
"""

import math
from collections.abc import Sequence
from itertools import chain

import numpy as np
import pytest

from generator.scores import guidelines_effect
from generator.scores.differences.difference import LEVEL, Difference
from generator.scores.inputs import pool_by_model
from generator.scores.intervals import Floats, compute_difference_interval, compute_mean_interval
from generator.scores.shared_evals import correct_for_choice
from generator.scores.trial_effects import compute_trial_effects
from records.shapes.trial import Edition
from tests.generator.scores.making import (
    make_pair,
    make_rng,
    make_scored_version,
    make_side,
    mark_at_night,
)
from tests.generator.scores.second_opinion import compute_normal_below
from tests.records import examples

pytestmark = pytest.mark.unit

EVALS = 66
_CASES = [(1, 40), (1, 400), (3, 400)]
"""Runs of each model, and boards."""


def compute_most(share: float, boards: int) -> float:
    """Return the most boards that may be wrong at a share, with two standard errors of chance."""
    return share * boards + 2 * math.sqrt(share * (1 - share) * boards)


def draw_chances(rng: np.random.Generator, evals: int = EVALS) -> Floats:
    """Return the chance of a pass at each eval, from hopeless to certain."""
    return compute_normal_below(1.0 + 1.5 * rng.standard_normal(evals))


def draw_overall(
    rng: np.random.Generator, runs: int, gains: Sequence[float]
) -> guidelines_effect.OverallEffect:
    """Return the effect over models that gain so much, in standard deviations of a pass."""
    of = make_scored_version(EVALS, categories=6)
    base = 0.8 + 1.5 * rng.standard_normal(EVALS)
    pairs = [
        make_pair(
            of,
            *(
                rng.binomial(runs, compute_normal_below(base + moved)).tolist()
                for moved in (gain, 0.0)
            ),
            samples=runs,
            slug=f"a/{model}",
        )
        for model, gain in enumerate(gains)
    ]
    overall = guidelines_effect.compute_overall_effect(
        of, guidelines_effect.compute_guidelines_effects(of, pool_by_model(chain(*pairs)))
    )
    assert overall is not None
    return overall


@pytest.mark.parametrize(("runs", "boards"), mark_at_night(_CASES, but=[(1, 40)]))
def test_chance_moves_the_mean_of_models_as_often_as_the_sentence_states(
    runs: int, boards: int
) -> None:
    """Chance makes such a difference k times in 100, and is seldom called an effect."""
    rng = make_rng(runs)
    wholes = [draw_overall(rng, runs, [0.0] * 5).whole for _ in range(boards)]
    for level in (LEVEL, 0.2):
        assert sum(whole.p_value <= level for whole in wholes) <= compute_most(level, boards)
    effects = sum(whole.real for whole in wholes)
    assert effects <= compute_most(0.05, boards)


@pytest.mark.parametrize(("runs", "boards"), mark_at_night(_CASES, but=[(1, 40)]))
def test_no_part_of_an_effect_of_nothing_is_reported_as_one(runs: int, boards: int) -> None:
    """Any of six categories, corrected together, is wrong on at most 5 boards of 100."""
    rng = make_rng(10 + runs)

    def has_shown_part(parts: Sequence[Difference]) -> bool:
        return any(part.real for part in parts)

    wrong = sum(
        has_shown_part([*draw_overall(rng, runs, [0.0] * 3).categories.values()])
        for _ in range(boards)
    )
    assert wrong <= compute_most(0.05, boards)


@pytest.mark.parametrize(("runs", "boards"), mark_at_night(_CASES, but=[(1, 40)]))
def test_ends_of_the_mean_effect_hold_the_truth(runs: int, boards: int) -> None:
    """The mean of 5 models gains n points (a to b): over all evals, for these very models."""
    rng = make_rng(20 + runs)
    gains = [0.2, 0.3, 0.4, 0.5, 0.6]
    many = 0.8 + 1.5 * make_rng(0).standard_normal(200_000)
    true = float(
        np.mean(
            [
                (compute_normal_below(many + gain) - compute_normal_below(many)).mean()
                for gain in gains
            ]
        )
    )
    inside = 0
    for _ in range(boards):
        interval = draw_overall(rng, runs, gains).whole.interval
        inside += interval.low <= true <= interval.high
    assert boards - inside <= compute_most(0.06, boards)


@pytest.mark.parametrize(("samples", "boards"), mark_at_night(_CASES, but=[(1, 40)]))
def test_sections_that_do_nothing_are_seldom_missed(samples: int, boards: int) -> None:
    """An ablation of 15 such sections calls any of them missed on at most 5 boards of 100."""
    rng = make_rng(30 + samples)
    runs = [
        examples.make_trial_run("a"),
        *(examples.make_trial_run(each, Edition.LEFT_OUT, each) for each in "bcdefghijklmnop"),
    ]
    wrong = 0
    for _ in range(boards):
        chances = draw_chances(rng)
        results = {
            run.run_id: {
                f"000-part/{number:03d}-task": (int(passed), samples)
                for number, passed in enumerate(rng.binomial(samples, chances))
            }
            for run in runs
        }
        wrong += any(
            effect.difference is not None and effect.difference.real
            for effect in compute_trial_effects(runs, results)
        )
    assert wrong <= compute_most(0.05, boards)


_ACROSS = [(4, 1, 20), (6, 1, 300), (6, 3, 300), (12, 1, 300), (12, 3, 300)]


@pytest.mark.parametrize(("models", "runs", "boards"), mark_at_night(_ACROSS, but=[_ACROSS[0]]))
def test_the_best_of_equal_models_is_seldom_better_than_those_of_another_version(
    models: int, runs: int, boards: int
) -> None:
    """The correction allows for the choice of a model by its score: at most 5 boards of 100."""
    rng = make_rng(40 + models)
    wrong = 0
    for _ in range(boards):
        chances = draw_chances(rng)
        here, there = (
            sorted(
                (rng.binomial(runs, chances).tolist() for _ in range(models)), key=sum, reverse=True
            )
            for _ in range(2)
        )
        sides = [[make_side(passed, [runs] * EVALS) for passed in both] for both in (here, there)]
        wrong += min(correct_for_choice(*sides)) < LEVEL
    assert wrong <= compute_most(0.05, boards)


@pytest.mark.parametrize("evals", [10, 14])
@pytest.mark.parametrize("runs", [1, 3])
def test_ends_of_a_difference_from_the_field_hold_the_truth(evals: int, runs: int) -> None:
    """Strengths against the field: over the evals of a category, against ten others' mean."""
    rng = make_rng(evals + runs)
    boards = 500
    base = 0.8 + 1.5 * rng.standard_normal((boards, evals))
    own = rng.binomial(runs, compute_normal_below(base + 0.3)) / runs
    field = (
        rng.binomial(runs, compute_normal_below(base)[..., None], size=(boards, evals, 10)) / runs
    )
    many = 0.8 + 1.5 * make_rng(0).standard_normal(200_000)
    true = float((compute_normal_below(many + 0.3) - compute_normal_below(many)).mean())
    bounds = [compute_difference_interval(row) for row in own - field.mean(axis=-1)]
    outside = sum(not bound.low <= true <= bound.high for bound in bounds)
    assert outside <= compute_most(0.06, boards)


@pytest.mark.parametrize("evals", [4, 8, 12])
@pytest.mark.parametrize("runs", [1, 3])
def test_ends_of_a_score_over_a_category_hold_the_truth(evals: int, runs: int) -> None:
    """Pages of categories have few evals, and the interval is wide enough for them."""
    rng = make_rng(evals + runs)
    boards = 500
    chances = compute_normal_below(0.8 + 1.5 * rng.standard_normal((boards, evals)))
    means = rng.binomial(runs, chances) / runs
    true = float(compute_normal_below(0.8 + 1.5 * make_rng(0).standard_normal(200_000)).mean())
    attempts = np.full(evals, float(runs))
    bounds = [compute_mean_interval(row, attempts) for row in means]
    outside = sum(not bound.low <= true <= bound.high for bound in bounds)
    assert outside <= compute_most(0.06, boards)
