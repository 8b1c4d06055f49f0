"""The health of evals, the frontier of costs, and the values behind downloads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.scores.best_value import select_frontier
from generator.scores.differences.difference import LEVEL
from generator.scores.health import EvalHealth, compute_eval_healths, compute_rest_correlations
from generator.scores.inputs import pool_by_model
from generator.scores.intervals import Floats
from tests.generator.scores import second_opinion
from tests.generator.scores.making import make_rng, make_run_results, make_scored_version

pytestmark = pytest.mark.unit


def compute_health(*passed: list[int]) -> tuple[EvalHealth, ...]:
    """Return the health of evals over models with these passes."""
    of = make_scored_version(len(passed[0]))
    runs = [make_run_results(of, each, slug=f"a/{number}") for number, each in enumerate(passed)]
    return compute_eval_healths(of, pool_by_model(runs))


def test_unsolved_evals_and_those_solved_by_one_are_distinguished() -> None:
    """Solvers are the models that passed an eval at least once."""
    none, single, both = compute_health([0, 1, 1], [0, 0, 1])
    assert (none.solvers, single.solvers, both.solvers) == ((), ("a/0",), ("a/0", "a/1"))
    assert (single.pass_rate, single.rates) == (0.5, (1.0, 0.0))


def test_disagreement_is_the_share_of_pairs_of_attempts_that_end_differently() -> None:
    """Two pairs in three of pass, fail, pass differ, in any order of the runs."""
    of = make_scored_version(2)
    runs = [
        make_run_results(of, [passed, 1], order=f"2026-01-0{day}")
        for day, passed in ((1, 1), (2, 0), (3, 1))
    ]
    first, second = compute_eval_healths(of, pool_by_model(runs))
    assert first.disagreement == pytest.approx(2 / 3)
    assert (second.disagreement, first.repeated) == (0, 1)
    again = [
        make_run_results(of, [passed, 1], order=f"2026-01-0{day}")
        for day, passed in ((1, 1), (2, 1), (3, 0))
    ]
    assert compute_eval_healths(of, pool_by_model(again))[0].disagreement == pytest.approx(2 / 3)


def test_disagreement_within_a_run_counts_as_well() -> None:
    """One of two samples passed in each of two runs; a model asked once shows no disagreement."""
    of = make_scored_version(1)
    runs = [make_run_results(of, [1], samples=2, order=f"2026-01-0{day}") for day in (1, 2)]
    (health,) = compute_eval_healths(
        of, pool_by_model([*runs, make_run_results(of, [1], slug="b/b")])
    )
    assert health.disagreement == pytest.approx(4 / 6)
    assert (health.models, health.repeated) == (2, 1)
    (alone,) = compute_eval_healths(of, pool_by_model([make_run_results(of, [1])]))
    assert (alone.disagreement, alone.repeated) == (None, 0)


def test_failures_set_aside_are_those_of_the_models_that_the_line_is_over() -> None:
    """A pass is no failure, also if a report calls it so."""
    of = make_scored_version(2)
    strict = {0: ("overly_strict",), 1: ("overly_strict",)}
    runs = [make_run_results(of, [0, 1], classes=strict)]
    first, second = compute_eval_healths(of, pool_by_model(runs))
    assert (first.set_aside, second.set_aside) == (1, 0)


def test_an_eval_separates_where_any_two_models_fare_differently() -> None:
    """An eval that all pass or all fail separates no models."""
    separates = [health.separates for health in compute_health([1, 0, 1], [1, 0, 0])]
    assert separates == [False, False, True]


def test_baselines_show_nothing_about_an_eval() -> None:
    """The oracle passes all evals; without a model there is no health."""
    of = make_scored_version(2)
    runs = [make_run_results(of, [1, 1], slug="baseline/oracle", baseline=True)]
    assert compute_eval_healths(of, pool_by_model(runs)) == ()


def test_the_correlation_is_scipys_point_biserial_with_the_other_evals() -> None:
    """Scipy gives the same for each eval, with the eval itself left out of the total."""
    means = make_rng(4).integers(0, 2, size=(12, 9)).astype(np.float64)
    theirs = [
        second_opinion.compute_point_biserial(
            means[:, column], np.delete(means, column, axis=1).mean(axis=1)
        )
        for column in range(9)
    ]
    assert compute_rest_correlations(means)[0].tolist() == pytest.approx(theirs)


def test_the_correlation_of_several_attempts_is_pearsons() -> None:
    """Rates between 0 and 1 correlate like any numbers."""
    means = make_rng(5).integers(0, 4, size=(10, 6)) / 3
    theirs = [
        second_opinion.compute_pearson(
            means[:, column], np.delete(means, column, axis=1).mean(axis=1)
        )
        for column in range(6)
    ]
    assert compute_rest_correlations(means)[0].tolist() == pytest.approx(theirs)


def simulate_suites(models: int, evals: int, *, boards: int, ability: float) -> list[Floats]:
    """Return pass rates of models at evals of every difficulty, which rise with their ability."""
    random = make_rng(models)
    made: list[Floats] = []
    for _ in range(boards):
        skill = random.normal(0, ability, (models, 1))
        chance = 1 / (1 + np.exp(-random.normal(1, 2, evals) - skill))
        made.append((random.random((models, evals)) < chance).astype(np.float64))
    return made


@pytest.mark.parametrize(("models", "ability"), [(10, 0.0), (20, 0.0), (20, 1.0)])
def test_chance_makes_no_eval_a_suspect(models: int, ability: float) -> None:
    """Where no eval is reversed, some eval is called so on at most 5 boards of 100."""
    boards = simulate_suites(models, 40, boards=100, ability=ability)
    called = sum(bool((compute_rest_correlations(means)[1] < LEVEL).any()) for means in boards)
    assert called <= 100 * LEVEL + 5  # two standard errors above it


def test_an_eval_that_the_better_half_fails_is_a_suspect() -> None:
    """Of twenty models, the ten better ones fail one eval of forty: it alone is called."""
    suspects, boards = 0, simulate_suites(20, 40, boards=20, ability=2.0)
    for means in boards:
        better = means.mean(axis=1) > np.median(means.mean(axis=1))
        means[:, 7] = ~better
        _, p_values = compute_rest_correlations(means)
        suspects += np.flatnonzero(p_values < LEVEL).tolist() == [7]
    assert suspects >= 18
    passed = [[int(rate) for rate in rates] for rates in boards[-1]]
    healths = compute_health(*passed)
    assert [number for number, health in enumerate(healths) if health.is_suspect] == [7]


def test_a_correlation_that_shows_nothing_is_unknown() -> None:
    """A correlation needs ten models, and an eval that some of them fail."""
    nine = [[number % 2, 1, number % 3 == 0] for number in range(9)]
    assert compute_health(*nine)[0].correlation is None
    ten = compute_health(*nine, [0, 1, 0])
    assert ten[0].correlation is not None
    assert ten[1].correlation is None


def test_the_frontier_keeps_unbeaten_models() -> None:
    """An offer that costs more and is no better is off; offers equal in both stay."""
    best, dear, cheap, weak = (5.0, 0.9), (6.0, 0.9), (1.0, 0.5), (2.0, 0.4)
    assert select_frontier([best, dear, cheap, cheap, weak]) == {cheap, best}
    assert select_frontier([]) == set()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_the_frontier_is_by_definition(pairs: list[tuple[int, int]]) -> None:
    """The frontier is exactly the offers that no other offer dominates."""

    def is_beaten(cost: int, score: int) -> bool:
        return any(
            other[0] <= cost and other[1] >= score and other != (cost, score) for other in pairs
        )

    assert select_frontier(pairs) == {pair for pair in pairs if not is_beaten(*pair)}
