"""The selection of runs that count, and their sums."""

import numpy as np
import pytest

from generator.scores.inputs import EvalTally, ScoredVersion, build_run_results
from generator.scores.run_selection import NotCounted, find_exclusion_reason, select
from tests.generator.scores.making import make_run_results, make_scored_version

pytestmark = pytest.mark.unit

SMALL = make_scored_version(3)


def test_the_latest_ten_runs_of_a_model_and_experiment_count() -> None:
    """The two oldest of twelve runs are left out, in any order of the runs."""
    runs = [
        make_run_results(SMALL, [1, 1, 0], order=f"2026-01-{day:02d}")
        for day in (5, 12, *range(1, 5))
    ]
    runs += [make_run_results(SMALL, [1, 1, 0], order=f"2026-01-{day:02d}") for day in range(6, 12)]
    selection = select(SMALL, runs)
    (pool,) = selection.pools
    assert [counted.order for counted in pool.runs] == [
        f"2026-01-{day:02d}" for day in range(12, 2, -1)
    ]
    assert sorted(reason for _, reason in selection.left_out) == [NotCounted.OLDER] * 2
    assert {run_id[-2:] for run_id, _ in selection.left_out} == {"01", "02"}


def test_models_and_experiments_are_pooled_apart() -> None:
    """Two models, one of them under two experiments, make three pools."""
    runs = [
        make_run_results(SMALL, [1, 0, 0], slug="b/two"),
        make_run_results(SMALL, [1, 1, 1], slug="a/one", experiment="no_guidelines"),
        make_run_results(SMALL, [1, 1, 0], slug="a/one"),
    ]
    pools = select(SMALL, runs).pools
    keys = [(pool.slug, pool.experiment) for pool in pools]
    assert keys == [("a/one", "default"), ("a/one", "no_guidelines"), ("b/two", "default")]


def test_pass_rates_are_means_over_all_attempts() -> None:
    """A run of one sample and a run of three are four attempts at each eval."""
    runs = [
        make_run_results(SMALL, [1, 0, 0], order="2026-01-01"),
        make_run_results(SMALL, [3, 3, 0], samples=3, order="2026-01-02"),
    ]
    (pool,) = select(SMALL, runs).pools
    assert pool.means.tolist() == [1.0, 0.75, 0.0]


def test_withdrawn_runs_do_not_count() -> None:
    """A complete run counts no more once it is withdrawn."""
    assert (
        find_exclusion_reason(make_run_results(SMALL, [1, 1, 0], withdrawn=True))
        is NotCounted.WITHDRAWN
    )


def test_incomplete_runs_are_not_scored() -> None:
    """An attempt that nobody judged is neither a failure nor left out of the denominator."""
    tallies = {name: EvalTally(1, 1, 1) for name in SMALL.evals[:2]}
    tallies[SMALL.evals[2]] = EvalTally(0, 0, 1)
    incomplete = build_run_results(
        SMALL, tallies, run_id="r", slug="a/b", experiment="default", order="2026"
    )
    assert find_exclusion_reason(incomplete) is NotCounted.INCOMPLETE
    assert select(SMALL, [incomplete]).pools == ()


def test_runs_that_leave_evals_out_are_not_scored() -> None:
    """A run over a part of the suite is not compared with runs over all of it."""
    tallies = {name: EvalTally(1, 1, 1) for name in SMALL.evals[:2]}
    partial = build_run_results(
        SMALL, tallies, run_id="r", slug="a/b", experiment="default", order="2026"
    )
    assert find_exclusion_reason(partial) is NotCounted.PARTIAL


def test_runs_that_are_going_are_not_scored() -> None:
    """Only completed runs count."""
    assert (
        find_exclusion_reason(make_run_results(SMALL, [1, 1, 1], completed=False))
        is NotCounted.NOT_COMPLETED
    )


def test_runs_of_a_changed_program_are_not_scored() -> None:
    """Nobody could repeat them; a run that is still going has that reason instead."""
    changed = make_run_results(SMALL, [1, 1, 1], changed_program=True)
    assert find_exclusion_reason(changed) is NotCounted.CHANGED_PROGRAM
    assert select(SMALL, [changed]).pools == ()
    going = make_run_results(SMALL, [1, 1, 1], completed=False, changed_program=True)
    assert find_exclusion_reason(going) is NotCounted.NOT_COMPLETED


def test_runs_of_another_version_are_refused() -> None:
    """Arrays of another length would be compared eval by eval with the wrong evals."""
    with pytest.raises(ValueError, match="not aligned to made-up"):
        select(SMALL, [make_run_results(make_scored_version(4), [1, 1, 1, 1])])


def test_evals_are_aligned_by_name() -> None:
    """Tallies come in any order; evals of another version are dropped."""
    of = ScoredVersion.from_evals("v", ["b/2", "a/1"])
    tallies = {"b/2": EvalTally(2, 2, 2), "a/1": EvalTally(0, 2, 2), "z/9": EvalTally(1, 1, 1)}
    aligned = build_run_results(
        of, tallies, run_id="r", slug="a/b", experiment="default", order="2026"
    )
    assert of.evals == ("a/1", "b/2")
    assert aligned.passed.tolist() == [0, 2]
    assert np.isnan(aligned.test_shares).all()
