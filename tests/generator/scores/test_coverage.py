"""Simulated suites: intervals hold what 95% promises, and ties are broken as rarely as they say.

The population, in every simulation: each eval has a difficulty u, normal; a model of skill s
passes an attempt at it with probability Phi(s + spread * u), independently of other attempts. The
true score, the mean over all evals that could be drawn, is Phi(s / sqrt(1 + spread^2)). Each suite
draws a true score between 30% and 97%, its evals and the attempts at them.

``spread`` 1 leaves half of what varies (on the probit scale) to chance, 4 leaves 1 part in 17.
Published repeats are within: three runs of one model went the same way on 62 of 66 evals, of
another on 72 of 74.
"""

import math

import numpy as np
import pytest

from generator.scores.intervals import Bounds, Floats, difference_bounds, mean_bounds
from generator.scores.significance import mcnemar_exact, smallest_effect
from tests.generator.scores.making import seeded
from tests.generator.scores.second_opinion import normal_below, normal_quantile

SUITES = 2000


def simulated(
    rng: np.random.Generator, shape: tuple[int, int], attempts: int, spread: float
) -> tuple[Floats, Floats]:
    """Return pass rates (suites x evals) and true scores between 30% and 97%."""
    suites, evals = shape
    true = rng.uniform(0.3, 0.97, size=(suites, 1))
    skill = normal_quantile(true) * math.sqrt(1 + spread**2)
    chance = normal_below(skill + spread * rng.standard_normal((suites, evals)))
    return rng.binomial(attempts, chance) / attempts, true[:, 0]


def held(bounds: Bounds, true: Floats) -> float:
    """Return how many of 100 intervals hold the true value."""
    return 100 * float(((bounds.low <= true) & (true <= bounds.high)).mean())


@pytest.mark.parametrize("evals", [14, 56, 66, 100])
@pytest.mark.parametrize("runs", [1, 3, 10])
@pytest.mark.parametrize("spread", [1.0, 2.0, 4.0])
def test_intervals_of_scores_hold_the_truth_93_to_97_times_in_100(
    evals: int, runs: int, spread: float
) -> None:
    """Whatever the number of evals and runs, and however unlike the evals are."""
    rates, true = simulated(seeded(evals * 100 + runs), (SUITES, evals), runs, spread)
    assert 93 <= held(mean_bounds(rates, np.full(rates.shape, float(runs))), true) <= 97


@pytest.mark.parametrize("evals", [14, 66])
@pytest.mark.parametrize("runs", [3, 10])
def test_intervals_of_scores_over_evals_much_alike_err_on_the_wide_side(
    evals: int, runs: int
) -> None:
    """With a spread of 0.5, which models do not show, it allows for more than there is."""
    rates, true = simulated(seeded(runs), (SUITES, evals), runs, 0.5)
    assert 93 <= held(mean_bounds(rates, np.full(rates.shape, float(runs))), true) <= 98


@pytest.mark.parametrize("runs", [1, 3, 10])
def test_intervals_of_scores_close_to_perfect_hold_the_truth(runs: int) -> None:
    """At a true score of 95% over 66 evals, where mean +- 1.96 errors falls short."""
    rng = seeded(runs)
    skill = normal_quantile(np.array(0.95)) * math.sqrt(1 + 4.0**2)
    rates = rng.binomial(runs, normal_below(skill + 4.0 * rng.standard_normal((SUITES, 66)))) / runs
    bounds = mean_bounds(rates, np.full(rates.shape, float(runs)))
    assert 93 <= held(bounds, np.full(SUITES, 0.95)) <= 97


def pairs(
    rng: np.random.Generator, shape: tuple[int, int], attempts: int, gap: float, spread: float
) -> tuple[Floats, Floats]:
    """Return differences of two models over the same evals, and their true differences.

    Half as much spread as the evals have in common is each model's own.
    """
    suites, evals = shape
    first = rng.uniform(0.4, 0.97, size=(suites, 1))
    common = spread * rng.standard_normal((suites, evals))
    scale = math.sqrt(1 + spread**2 + (spread / 2) ** 2)

    def attempted(true: Floats) -> Floats:
        own = spread / 2 * rng.standard_normal((suites, evals))
        return (
            rng.binomial(attempts, normal_below(normal_quantile(true) * scale + common + own))
            / attempts
        )

    return attempted(first) - attempted(first - gap), np.full(suites, gap)


@pytest.mark.parametrize("evals", [56, 66, 100])
@pytest.mark.parametrize("runs", [1, 3, 10])
@pytest.mark.parametrize("spread", [1.0, 2.0, 4.0])
def test_intervals_of_differences_hold_the_truth_93_to_97_times_in_100(
    evals: int, runs: int, spread: float
) -> None:
    """Of two models that are 10 points apart in truth."""
    differences, true = pairs(
        seeded(evals * 100 + runs), (SUITES, evals), runs, gap=0.1, spread=spread
    )
    assert 93 <= held(difference_bounds(differences), true) <= 97


@pytest.mark.parametrize("runs", [1, 3, 10])
@pytest.mark.parametrize("gap", [0.0, 0.1])
def test_intervals_of_differences_over_few_evals_err_on_the_wide_side(
    runs: int, gap: float
) -> None:
    """Over 14 evals few differ at all, and an honest interval is right more often than it says."""
    differences, true = pairs(seeded(runs), (SUITES, 14), runs, gap=gap, spread=1.5)
    assert held(difference_bounds(differences), true) >= 93


@pytest.mark.parametrize("evals", [14, 66, 100])
@pytest.mark.parametrize("runs", [1, 3, 10])
@pytest.mark.parametrize("spread", [1.0, 4.0])
def test_equal_models_are_ranked_apart_at_most_5_times_in_100(
    evals: int, runs: int, spread: float
) -> None:
    """2.5 in each direction is what 95% says; half a point more is the simulation's own doubt."""
    differences, _ = pairs(seeded(evals + runs), (4 * SUITES, evals), runs, gap=0.0, spread=spread)
    bounds = difference_bounds(differences)
    ahead, behind = 100 * (bounds.low > 0).mean(), 100 * (bounds.high < 0).mean()
    assert ahead <= 3.0
    assert behind <= 3.0
    assert ahead + behind <= 5.5


def test_exact_test_of_equal_sides_errs_at_most_5_times_in_100() -> None:
    """It is exact: over 66 evals with one attempt, equal models give p < 0.05 less often."""
    differences, _ = pairs(seeded(3), (SUITES, 66), 1, gap=0.0, spread=1.5)
    only_first = (differences > 0).sum(axis=1).tolist()
    only_second = (differences < 0).sum(axis=1).tolist()
    p_values = [mcnemar_exact(*both) for both in zip(only_first, only_second, strict=True)]
    assert 100 * np.mean(np.array(p_values) < 0.05) <= 5


@pytest.mark.parametrize(("evals", "runs"), [(66, 1), (66, 3), (100, 1), (100, 10)])
def test_smallest_effect_is_seen_about_80_times_in_100(evals: int, runs: int) -> None:
    """Give two models the smallest effect found at first, and most suites see it."""
    rng = seeded(9)
    scale = math.sqrt(1 + 1.5**2 + 0.75**2)

    def differences(gap: float) -> Floats:
        common = 1.5 * rng.standard_normal((SUITES, evals))
        rates = [
            rng.binomial(
                runs,
                normal_below(
                    normal_quantile(np.array(true)) * scale
                    + common
                    + 0.75 * rng.standard_normal((SUITES, evals))
                ),
            )
            / runs
            for true in (0.75 + gap / 2, 0.75 - gap / 2)
        ]
        return rates[0] - rates[1]

    effect = float(np.mean([smallest_effect(one) for one in differences(0.1)]))
    seen = 100 * float((difference_bounds(differences(effect)).low > 0).mean())
    assert 74 <= seen <= 86
