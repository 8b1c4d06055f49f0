"""Results of several attempts: how far a rerun moves a score, and how likely all attempts pass."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.scores.score_estimate import compute_all_pass_rate, compute_rerun_error
from tests.generator.scores.making import make_rng

pytestmark = pytest.mark.unit


def test_a_rerun_moves_the_score_by_as_much_as_simulated_reruns_do() -> None:
    """66 evals, three runs: the estimate is 1.96 deviations of the difference of two scores."""
    random = make_rng(5)
    chances = random.beta(0.6, 0.3, 66)
    rates = random.binomial(3, chances, size=(4000, 66)) / 3
    attempts = np.full(66, 3.0)
    squares = [
        error**2 for each in rates if (error := compute_rerun_error(each, attempts)) is not None
    ]
    scores = rates.mean(axis=1)
    true = 1.96 * float((scores[::2] - scores[1::2]).std())
    assert np.sqrt(np.mean(squares)) == pytest.approx(true, rel=0.05)


def test_one_attempt_shows_no_rerun_noise() -> None:
    """Rerun noise is then unknown, not 0; three attempts that agree at each eval show none."""
    assert compute_rerun_error(np.array([1.0, 0.0]), np.array([1.0, 1.0])) is None
    assert compute_rerun_error(np.array([1.0, 0.5]), np.array([1.0, 2.0])) is None
    assert compute_rerun_error(np.array([1.0, 0.0]), np.array([3.0, 3.0])) == 0


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=6))
def test_all_of_k_is_the_share_of_choices_of_attempts_that_all_passed(
    evals: list[list[bool]],
) -> None:
    """Listing every choice of k of an eval's four attempts gives the same."""
    passed = np.array([sum(each) for each in evals], dtype=np.int32)
    judged = np.full(len(evals), 4, dtype=np.int32)
    for k in (1, 2, 3, 4):
        shares = [np.mean([all(chosen) for chosen in combinations(each, k)]) for each in evals]
        assert compute_all_pass_rate(passed, judged, k) == pytest.approx(float(np.mean(shares)))
    assert compute_all_pass_rate(passed, judged, 5) is None


def test_all_of_three_is_unbiased() -> None:
    """The mean over simulated runs of four attempts is the third power of the chance."""
    passed = make_rng(6).binomial(4, 0.8, size=40_000).astype(np.int32)
    share = compute_all_pass_rate(passed, np.full(40_000, 4, dtype=np.int32), 3)
    assert share == pytest.approx(0.8**3, abs=0.01)
