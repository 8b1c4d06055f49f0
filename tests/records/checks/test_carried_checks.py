"""Records that carry answers over, compared with the runs that asked for them."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError

from records.archives.archive import (
    Archive,
    AttemptArtifact,
    compute_artifact_digest,
    write_archive,
)
from records.checks.check_data import check_data
from records.shapes.attempt import Attempt
from records.shapes.run import Run, RunModel, Withdrawal
from records.shapes.totals import compute_run_totals
from tests.records.examples import NOON, make_generation, with_attempts
from tests.runner.runs.carrying import NAMES, Bench

pytestmark = pytest.mark.unit

LATER = NOON + timedelta(days=3)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return data with a run, and a run of the next version that carries two answers over."""
    bench = Bench(tmp_path)
    bench.run(bench.make_questions())
    bench.start_new_version(NAMES[1])
    questions = bench.make_questions(LATER)
    bench.run(questions, bench.plan(questions))
    return bench


def read_both_runs(bench: Bench) -> tuple[Run, Run]:
    """Return the run that asked and the run that carries over."""
    first, second = sorted(bench.read_runs(), key=lambda run: run.began)
    return first, second


def with_first(run: Run, **changes: object) -> Run:
    """Return a run with another first attempt."""
    return with_attempts(run, (run.attempts[0].model_copy(update=changes), *run.attempts[1:]))


def list_reasons(bench: Bench) -> list[str]:
    """Return the problems of the data."""
    return [f"{problem.field}: {problem.reason}" for problem in check_data(bench.data)]


def test_a_true_record_is_all_right(bench: Bench) -> None:
    """A source withdrawn or graded again later is right, too: answers stay the same."""
    assert list_reasons(bench) == []
    first, _ = read_both_runs(bench)
    bench.write(first.model_copy(update={"withdrawn": Withdrawal(by="us", reason="no more")}))
    assert list_reasons(bench) == []


def test_sums_of_a_run_leave_out_answers_that_another_paid(bench: Bench) -> None:
    """Grading is the run's own; the sums over all answers have both."""
    first, second = read_both_runs(bench)
    assert second.totals.cost_usd == 0.25
    assert (second.totals.cost_known_for, second.totals.generation_known_for) == (1, 1)
    assert second.totals.tokens.output == 500
    assert second.totals.grading_s == first.totals.grading_s
    assert compute_run_totals(second.attempts, with_carried=True) == first.totals
    assert compute_run_totals(second.attempts[:1]).cost_usd is None


def _make_other_model(run: Run) -> RunModel:
    return run.model.model_copy(update={"parameters": {"temperature": 0}})


FALSE_SOURCES: list[tuple[Callable[[Run], Run], str]] = [
    (lambda run: run.model_copy(update={"model": _make_other_model(run)}), "asked for other par"),
    (lambda run: run.model_copy(update={"started_at": NOON - timedelta(days=1)}), "asked_from"),
    (lambda run: with_first(run, generation=make_generation(0.5)), "generation is another"),
    (lambda run: with_first(run, generation=None), "did not ask for this answer"),
    (
        lambda run: run.model_copy(update={"attempts": run.attempts[1:], "status": "aborted"}),
        "did not ask for this answer",
    ),
]


@pytest.mark.parametrize(
    ("change", "reason"),
    FALSE_SOURCES,
)
def test_a_source_that_differs_is_reported(
    bench: Bench, change: Callable[[Run], Run], reason: str
) -> None:
    """Each promised value is checked, against the record of the run that asked."""
    first, _ = read_both_runs(bench)
    bench.write(change(first))
    problems = [
        problem for problem in list_reasons(bench) if problem.startswith("attempts.0.carried_over")
    ]
    assert len(problems) == 1
    assert reason in problems[0]


def test_a_source_that_is_missing_is_reported(bench: Bench) -> None:
    """A published run needs its source; a development run's source may be gone."""
    first, _ = read_both_runs(bench)
    bench.data.get_run_file("maker/m", first.run_id).unlink()
    bench.data.get_artifact_file("maker/m", first.run_id).unlink()
    assert list_reasons(bench) == [
        f"attempts.0.carried_over.run: {first.run_id} is no run of maker/m here"
    ]
    problems = check_data(bench.data, shared=bench.data.local)
    assert [problem for problem in problems if "carried_over" in problem.field] == []


def test_a_source_that_carried_the_answer_over_itself_is_reported(bench: Bench) -> None:
    """A chain would hide the age of an answer."""
    first, second = read_both_runs(bench)
    bench.start_new_version(NAMES[1])
    questions = bench.make_questions(LATER + timedelta(days=1))
    third = bench.run(questions, bench.plan(questions))
    assert list_reasons(bench) == []
    carried = third.attempts[0].carried_over
    assert carried is not None
    assert carried.run == first.run_id
    assert second.started_at is not None
    chained = carried.model_copy(update={"run": second.run_id, "asked_from": second.started_at})
    bench.write(with_first(third, carried_over=chained))
    assert f"run {second.run_id} did not ask for this answer" in list_reasons(bench)[-1]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"reply": "Another reply."}, "the run that asked has another reply"),
        ({"messages": ()}, "the run that asked has other messages"),
    ],
)
def test_archives_that_differ_are_reported(
    bench: Bench, changes: dict[str, object], reason: str
) -> None:
    """Each archive agrees with its own record, except for the digest of the reply."""
    first, _ = read_both_runs(bench)
    artifacts = _read_archived(bench, first)
    artifacts[0] = artifacts[0].model_copy(update=changes)
    write_archive(bench.data.get_artifact_file("maker/m", first.run_id), artifacts)
    bench.write(with_first(first, artifact=compute_artifact_digest(artifacts[0])))
    assert any(reason in problem for problem in list_reasons(bench))


def test_messages_that_are_not_the_promised_prompt_are_reported(bench: Bench) -> None:
    """The messages are those in the archive of the run itself."""
    _, second = read_both_runs(bench)
    artifacts = _read_archived(bench, second)
    artifacts[0] = artifacts[0].model_copy(update={"messages": ()})
    write_archive(bench.data.get_artifact_file("maker/m", second.run_id), artifacts)
    bench.write(with_first(second, artifact=compute_artifact_digest(artifacts[0])))
    assert any(
        "holds other messages than the carried_over.prompt" in problem
        for problem in list_reasons(bench)
    )


def _read_archived(bench: Bench, run: Run) -> list[AttemptArtifact]:
    with Archive(bench.data.get_artifact_file("maker/m", run.run_id)) as archive:
        return [archive.read(*key) for key in archive.list_places()]


def test_an_answer_counts_once_in_a_version(bench: Bench) -> None:
    """Two runs of one version with the same answer are reported, unless one is withdrawn."""
    first, second = read_both_runs(bench)
    bench.write(first.model_copy(update={"benchmark_version": second.benchmark_version}))
    assert any(f"is in run {first.run_id}, too" in problem for problem in list_reasons(bench))
    bench.write(first)
    bench.version = second.benchmark_version
    questions = bench.make_questions(LATER)
    carried = bench.plan_as_if_alone(questions, second)
    third = bench.run(questions, carried)
    assert any("withdraw one of them" in problem for problem in list_reasons(bench))
    bench.write(third.model_copy(update={"withdrawn": Withdrawal(by="us", reason="twice")}))
    assert list_reasons(bench) == []


def _find_asking_run(run: Run) -> str:
    origin = run.attempts[0].carried_over
    assert origin is not None
    return origin.run


def _age_first_attempt(run: Run, days: int) -> dict[str, object]:
    assert run.started_at is not None
    earlier = run.started_at - timedelta(days=days)
    attempt = run.attempts[0]
    assert attempt.carried_over is not None
    carried = attempt.carried_over.model_copy(update={"asked_from": earlier})
    return {"attempts": (attempt.model_copy(update={"carried_over": carried}), *run.attempts[1:])}


TOO_OLD: list[Callable[[Run], dict[str, object]]] = [
    lambda run: _age_first_attempt(run, 91),
    lambda run: _age_first_attempt(run, -1),
    lambda _: {"carry_over_days": 2},
    lambda _: {"carry_over_days": None},
    lambda _: {"carry_over_days": 366},
    lambda run: {"run_id": _find_asking_run(run)},
    lambda _: {"started_at": None},
]


@pytest.mark.parametrize(
    "change",
    TOO_OLD,
)
def test_a_record_that_breaks_its_greatest_age_is_refused(
    bench: Bench, change: Callable[[Run], dict[str, object]]
) -> None:
    """The strict reader refuses it: such a record is on no page."""
    _, second = read_both_runs(bench)
    assert Run.model_validate(dict(second) | _age_first_attempt(second, 90)).attempts
    with pytest.raises(ValidationError):
        Run.model_validate(dict(second) | change(second))


def test_an_answer_without_facts_cannot_be_carried_over(bench: Bench) -> None:
    """Nothing would prove that the answer fits."""
    _, second = read_both_runs(bench)
    with pytest.raises(ValidationError, match="generation is missing"):
        Attempt.model_validate(dict(second.attempts[0]) | {"generation": None})
