"""The selection of runs that count, and their sums."""

from dataclasses import replace

import numpy as np
import pytest

from generator.read.run_summaries import summarize_run
from generator.read.summaries import EvalResult, Results, share_plan
from generator.scores import inputs
from records.shapes.attempt import CarriedOver, Outcome
from records.shapes.run import CHANGES, Run, Withdrawal
from tests.generator.scores.making import make_run_results, make_scored_version
from tests.records import examples

pytestmark = pytest.mark.unit

SMALL = make_scored_version(3)
BENCHMARK = examples.make_benchmark()


def find_obstacles(**changes: object) -> list[inputs.Obstacle]:
    """Return why a complete run would not count after these changes of its record."""
    run = examples.make_run(evals=len(BENCHMARK.evals)).model_copy(update=changes)
    return inputs.list_obstacles(summarize_run(run), BENCHMARK)


def make_counting_run(number: int) -> Run:
    """Return a run that counts; the run with the next number began a second later."""
    return examples.make_run(f"{number:032}", evals=len(BENCHMARK.evals))


def test_the_latest_ten_runs_of_a_model_and_experiment_count() -> None:
    """The two oldest of twelve runs are left out; a withdrawn run takes no other run's place."""
    runs = [summarize_run(make_counting_run(number)) for number in range(inputs.LATEST + 2, 0, -1)]
    withdrawal = {"withdrawn": Withdrawal(by="me", reason="wrong key")}
    withdrawn = summarize_run(make_counting_run(99).model_copy(update=withdrawal))
    assert inputs.select_counted(BENCHMARK, [withdrawn, *runs]) == runs[: inputs.LATEST]


def test_a_run_does_not_count_beside_one_that_took_over_its_answers() -> None:
    """A mint moves the run that asked, and a later run asks what it lacks: one row is one run."""
    first, second, third = (make_counting_run(number) for number in (1, 2, 3))
    origin = CarriedOver(run=first.run_id, asked_from=examples.NOON, prompt="a" * 64)
    taker = second.model_copy(
        update={
            "attempts": tuple(
                attempt.model_copy(update={"carried_over": origin}) for attempt in second.attempts
            )
        }
    )
    moved = first.model_copy(update={"asked_version": "feedfacecafe"})
    runs = [summarize_run(run) for run in (third, taker, moved)]
    assert inputs.select_counted(BENCHMARK, runs) == runs[:2]
    withdrawal = {"withdrawn": Withdrawal(by="me", reason="wrong key")}
    runs[1] = summarize_run(taker.model_copy(update=withdrawal))
    assert inputs.select_counted(BENCHMARK, runs) == [runs[0], runs[2]]


def test_models_and_experiments_are_pooled_apart() -> None:
    """Two models, one of them under two experiments, make three pools."""
    runs = [
        make_run_results(SMALL, [1, 0, 0], slug="b/two"),
        make_run_results(SMALL, [1, 1, 1], slug="a/one", experiment="no_guidelines"),
        make_run_results(SMALL, [1, 1, 0], slug="a/one"),
    ]
    keys = [(pool.slug, pool.experiment) for pool in inputs.pool_by_model(runs)]
    assert keys == [("a/one", "default"), ("a/one", "no_guidelines"), ("b/two", "default")]


def test_pass_rates_are_means_over_all_attempts() -> None:
    """A run of one sample and a run of three are four attempts at each eval."""
    runs = [
        make_run_results(SMALL, [3, 3, 0], samples=3, order="2026-01-02"),
        make_run_results(SMALL, [1, 0, 0], order="2026-01-01"),
    ]
    (pool,) = inputs.pool_by_model(runs)
    assert pool.means.tolist() == [1.0, 0.75, 0.0]


def test_a_complete_run_counts() -> None:
    """All evals of the version were planned, and every attempt has a verdict."""
    assert find_obstacles() == []


def test_withdrawn_runs_do_not_count() -> None:
    """A complete run counts no more once it is withdrawn."""
    assert find_obstacles(withdrawn=Withdrawal(by="me", reason="wrong key")) == ["withdrawn"]


def test_incomplete_runs_are_not_scored() -> None:
    """An attempt that nobody judged is neither a failure nor left out of the denominator."""
    names = sorted(BENCHMARK.evals)
    attempts = [examples.make_attempt(name) for name in names]
    attempts[-1] = examples.make_attempt(names[-1], outcome=Outcome.INFRASTRUCTURE)
    assert find_obstacles(attempts=tuple(attempts)) == ["incomplete"]


def test_runs_that_leave_evals_out_are_not_scored() -> None:
    """A run over a part of the suite is not compared with runs over all of it."""
    part = tuple(sorted(BENCHMARK.evals)[:-1])
    attempts = tuple(map(examples.make_attempt, part))
    assert find_obstacles(planned=part, attempts=attempts) == ["partial"]


def test_runs_that_are_going_are_not_scored() -> None:
    """Only completed runs count."""
    assert find_obstacles(status="aborted") == ["not_completed"]


def test_runs_of_a_changed_program_are_not_scored() -> None:
    """Nobody could repeat them; a run that was given up has that reason before."""
    harness = examples.make_run().harness
    assert harness is not None
    changed = harness.model_copy(update={"git_commit": "c" * 40 + CHANGES})
    assert find_obstacles(harness=changed) == ["changed_program"]
    reasons = find_obstacles(harness=changed, status="aborted")
    assert reasons == ["not_completed", "changed_program"]
    assert find_obstacles(harness=changed, published_because="a good reason") == []


def test_evals_are_aligned_by_name() -> None:
    """Results come in any order; evals of another version are dropped."""
    of = inputs.ScoredVersion.from_evals("v", ["b/2", "a/1"])
    results = [EvalResult(passed, 2, 2, None, None) for passed in (2, 0, 1)]
    run = summarize_run(make_counting_run(1))
    aligned = inputs.build_run_results(
        of, replace(run, results=Results(share_plan(("b/2", "a/1", "z/9")), tuple(results)))
    )
    assert of.evals == ("a/1", "b/2")
    assert aligned.passed.tolist() == [0, 2]
    assert np.isnan(aligned.test_shares).all()
