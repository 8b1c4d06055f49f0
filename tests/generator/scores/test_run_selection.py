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
WITHDRAWN = Withdrawal(by="me", reason="wrong key")
WHOLE = examples.make_run()
BROKEN = examples.make_attempt(WHOLE.planned[0], outcome=Outcome.INFRASTRUCTURE)
CHANGED = examples.with_harness(WHOLE, git_commit="c" * 40 + CHANGES)


def make_counting_run(number: int, **fields: object) -> Run:
    """Return a run that counts; the run with the next number began a second later."""
    return examples.make_run(f"{number:032}").model_copy(update=fields)


def test_the_latest_ten_runs_of_a_model_and_experiment_count() -> None:
    """The two oldest of twelve runs are left out; a withdrawn run takes no other run's place."""
    runs = [summarize_run(make_counting_run(number)) for number in range(inputs.LATEST + 2, 0, -1)]
    withdrawn = summarize_run(make_counting_run(99, withdrawn=WITHDRAWN))
    assert inputs.select_counted(BENCHMARK, [withdrawn, *runs]) == runs[: inputs.LATEST]


def test_a_run_does_not_count_beside_one_that_took_over_its_answers() -> None:
    """A mint moves the run that asked, and a later run asks what it lacks: one row is one run."""
    first, second, third = (make_counting_run(number) for number in (1, 2, 3))
    origin = CarriedOver(run=first.run_id, asked_from=examples.NOON, prompt="a" * 64)
    taker = examples.with_attempts(
        second,
        (attempt.model_copy(update={"carried_over": origin}) for attempt in second.attempts),
    )
    moved = first.model_copy(update={"asked_version": "feedfacecafe"})
    runs = [summarize_run(run) for run in (third, taker, moved)]
    assert inputs.select_counted(BENCHMARK, runs) == runs[:2]
    runs[1] = summarize_run(taker.model_copy(update={"withdrawn": WITHDRAWN}))
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


@pytest.mark.parametrize(
    ("run", "changes", "obstacles"),
    [
        (WHOLE, {}, []),
        (WHOLE, {"withdrawn": WITHDRAWN}, ["withdrawn"]),
        (WHOLE, {"attempts": (BROKEN, *WHOLE.attempts[1:])}, ["incomplete"]),
        (WHOLE, {"planned": WHOLE.planned[:-1], "attempts": WHOLE.attempts[:-1]}, ["partial"]),
        (WHOLE, {"status": "aborted"}, ["not_completed"]),
        (CHANGED, {}, ["changed_program"]),
        (CHANGED, {"status": "aborted"}, ["not_completed", "changed_program"]),
        (CHANGED, {"published_because": "a good reason"}, []),
    ],
    ids=[
        "whole",
        "withdrawn",
        "incomplete",
        "partial",
        "aborted",
        "changed",
        "changed and aborted",
        "changed with a reason",
    ],
)
def test_a_run_counts_if_it_has_no_obstacle(
    run: Run, changes: dict[str, object], obstacles: list[str]
) -> None:
    """It is completed and whole, and every attempt has a verdict.

    An attempt that nobody judged is neither a failure nor left out of the denominator. Nobody could
    repeat a run of a changed program, unless its record has a reason.
    """
    summary = summarize_run(run.model_copy(update=changes))
    assert inputs.list_obstacles(summary, BENCHMARK) == obstacles


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
