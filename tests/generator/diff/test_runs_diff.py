"""Two runs side by side: flips, evals that are not compared, and other differences."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from generator.diff.data_diff import DataState, diff_data
from generator.diff.description import format_runs_headline
from generator.diff.runs_diff import RunsDiff, Side, diff_runs
from generator.scores.differences.difference import Conclusion
from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.shapes.run import Run, Withdrawal
from records.suites.benchmark import Benchmark
from records.writer import write_run
from tests.records import examples

pytestmark = pytest.mark.unit

PASSED, FAILED, INFRASTRUCTURE, _ = Outcome


def make_ended_run(outcomes: Mapping[int, Outcome], letter: str = "a", **changes: object) -> Run:
    """Return a run in which the evals of these numbers ended so."""
    attempts = tuple(
        examples.make_attempt(examples.make_eval_name(number), outcome=outcome)
        for number, outcome in sorted(outcomes.items())
    )
    planned = tuple(attempt.eval for attempt in attempts)
    return examples.with_attempts(
        examples.make_run(letter * 32), attempts, planned=planned, **changes
    )


def compare_runs(
    before: Run, after: Run, benchmarks: Mapping[str, Benchmark] | None = None
) -> RunsDiff:
    """Compare two runs."""
    return diff_runs(Side("before", [before]), Side("after", [after]), benchmarks or {})


def test_flips_are_named_with_their_reasons() -> None:
    """Fixed and broken evals have the step and the grader's reason of the side that failed."""
    before = make_ended_run({0: PASSED, 1: FAILED, 2: PASSED})
    diff = compare_runs(before, make_ended_run({0: FAILED, 1: PASSED, 2: PASSED}, "b"))
    assert [(flip.eval, flip.before, flip.after) for flip in diff.broken] == [
        (examples.make_eval_name(0), "1/1", "0/1")
    ]
    (fixed,) = diff.fixed
    assert (fixed.eval, fixed.step) == (examples.make_eval_name(1), "tests")
    assert fixed.reason == "test_rejects_bad_input failed"
    assert fixed.run_id == "b" * 32


def test_attempts_without_a_verdict_are_not_compared() -> None:
    """An infrastructure outcome is no result of a model: the eval counts on no side."""
    before = make_ended_run({0: PASSED, 1: PASSED})
    diff = compare_runs(before, make_ended_run({0: INFRASTRUCTURE, 1: PASSED, 2: PASSED}, "b"))
    assert diff.difference is not None
    assert diff.difference.evals == 1
    assert (diff.only_before, diff.only_after) == (
        [examples.make_eval_name(0)],
        [examples.make_eval_name(2)],
    )


def test_runs_with_nothing_in_common_have_no_difference() -> None:
    """The headline states it in words, without an invented figure."""
    diff = compare_runs(make_ended_run({0: PASSED}), make_ended_run({1: PASSED}, "b"))
    assert (diff.difference, diff.scores) == (None, None)
    assert "nothing is compared" in format_runs_headline(diff)


@pytest.mark.parametrize("part", ["task", "grader"])
def test_an_eval_that_changed_is_not_compared(part: str) -> None:
    """Across versions, an eval with another task or grader is another eval."""
    old = examples.make_benchmark()
    name = examples.make_eval_name(0)
    changed = old.evals[name].model_copy(update={part: "9" * 64})
    new = old.model_copy(update={"version": "ba9876543210", "evals": {**old.evals, name: changed}})
    after = make_ended_run({0: FAILED, 1: PASSED}, "b", benchmark_version=new.version)
    diff = compare_runs(
        make_ended_run({0: PASSED, 1: PASSED}),
        after,
        {benchmark.version: benchmark for benchmark in (old, new)},
    )
    assert diff.changed_evals == [name]
    assert diff.broken == []


def test_other_differences_are_listed() -> None:
    """Parameters, guidelines and samples that differ are listed as possible causes."""
    before, after = (make_ended_run({0: PASSED}, letter) for letter in "ab")
    diff = compare_runs(before, examples.with_model(after, parameters={"temperature": 1.0}))
    assert [
        (inequality.what, inequality.before, inequality.after) for inequality in diff.inequalities
    ] == [("parameter temperature", "0.5", "1.0")]


def test_sent_parameters_are_compared_if_both_are_known() -> None:
    """A parameter added on the way is listed; nothing is listed where a run did not record it."""
    before = make_ended_run({0: PASSED})
    first, after = (
        examples.with_model(
            make_ended_run({0: PASSED}, letter), sent={"temperature": 0.5, "top_p": value}
        )
        for letter, value in (("a", 0.9), ("b", 1.0))
    )
    diff = compare_runs(first, after)
    assert [(line.what, line.before, line.after) for line in diff.inequalities] == [
        ("sent top_p", "0.9", "1.0")
    ]
    assert compare_runs(before, after).inequalities == []


def test_a_regression_is_one_outside_the_noise() -> None:
    """One eval broken of ten is noise; eight of ten are not."""
    before = make_ended_run(dict.fromkeys(range(10), PASSED))
    for broken, conclusion in ((1, Conclusion.NOISE), (8, Conclusion.WORSE)):
        outcomes = {number: FAILED if number < broken else PASSED for number in range(10)}
        difference = compare_runs(before, make_ended_run(outcomes, "b")).difference
        assert difference is not None
        assert difference.conclusion is conclusion


def test_a_run_of_which_the_withdrawal_was_taken_back_comes_anew(tmp_path: Path) -> None:
    """The run is new in the table, and is compared with no earlier state of itself."""
    withdrawn = examples.make_run(withdrawn=Withdrawal(by="me", reason="wrong key"))
    data, run = examples.write_runs(DataFolder(tmp_path), withdrawn), examples.make_run()
    before = DataState.from_folder("before", data)
    write_run(data, run)
    diff = diff_data(before, DataState.from_folder("after", data))
    assert diff.pairs == []
    assert [row.run_id for row in diff.new] == [run.run_id]
    assert [(row.score_before is None, row.score_after is None) for row in diff.moved] == [
        (True, False)
    ]
