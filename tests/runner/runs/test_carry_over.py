"""Runs before a run: the latest verdict of each eval, and answers that are carried over."""

import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from records.archives.archive import Archive, write_archive
from records.checks.check_data import check_data
from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.journal.entries import Generated, Graded, Opened
from records.runs.carrying import find_sharing_runs
from records.shapes import attempt
from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Run, Withdrawal
from records.shapes.totals import compute_run_totals
from records.writer import write_run
from runner.errors import BadSelectionError
from runner.evals.discovery import discover
from runner.runs.carry_over import CHANGED, REPEATED, UNANSWERED, read_journal_entries
from runner.runs.history import read_histories
from runner.runs.plan import Destination, RunScope, RunSettings, make_experiment_setup, plan_runs
from runner.suite.mint import make_benchmark
from tests.records import examples
from tests.runner.runs.carrying import NAMES, Bench

pytestmark = pytest.mark.unit
Change = Callable[[Run], dict[str, object]]

IMPORTED = examples.make_imported()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return a suite and an empty data folder."""
    return Bench(tmp_path)


def test_only_the_changed_prompt_is_asked(bench: Bench) -> None:
    """All other answers come from the earlier run, by place, with their prompts and begin times."""
    first = bench.run(bench.make_questions(samples=2))
    bench.start_new_version(NAMES[1])
    plan = bench.plan(bench.make_questions(examples.NOON + timedelta(days=1), samples=2))
    assert {answer.attempt.place for answer in plan.answers} == {
        (name, sample) for name in (NAMES[0], NAMES[2]) for sample in (1, 2)
    }
    origins = [answer.attempt.carried_over for answer in plan.answers]
    assert {(origin.run, origin.asked_from) for origin in origins if origin} == {
        (first.run_id, examples.NOON)
    }
    assert plan.asked == {(NAMES[1], 1): CHANGED, (NAMES[1], 2): CHANGED}
    assert (plan.count_by_run(), plan.refused) == ({first.run_id: 4}, {})


@pytest.fixture
def first(bench: Bench) -> Run:
    """Return a whole run over the first version of the suite."""
    return bench.run(bench.make_questions())


def test_a_run_that_moved_is_asked_only_for_what_it_lacks(first: Run, bench: Bench) -> None:
    """Moved with all evals, it is a run of the version; beside it, every question is asked."""
    old = bench.version
    bench.start_new_version(NAMES[1])
    outdated = [attempt for attempt in first.attempts if attempt.eval == NAMES[1]]
    kept = [attempt for attempt in first.attempts if attempt.eval != NAMES[1]]
    whole = {"benchmark_version": bench.version, "asked_version": old}
    part = {"planned": (NAMES[0], NAMES[2]), "outdated": outdated, "attempts": kept}
    questions = bench.make_questions(examples.NOON + timedelta(days=1))
    bench.write(Run.model_validate(dict(first) | whole | part))
    plan = bench.plan(questions)
    assert (plan.asked, plan.count_by_run()) == ({(NAMES[1], 1): CHANGED}, {first.run_id: 2})
    second = bench.run(questions, plan)
    assert find_sharing_runs(bench.data, second, bench.version) == []
    bench.write(second.model_copy(update={"withdrawn": Withdrawal(by="us", reason="a trial")}))
    bench.write(first.model_copy(update=whole))
    assert set(bench.plan(questions).asked.values()) == {REPEATED}


def _change_model(**changes: object) -> Change:
    return lambda run: {"model": run.model.model_copy(update=changes)}


def _change_experiment(**changes: object) -> Change:
    return lambda run: {"experiment": run.experiment.model_copy(update=changes)}


def _change_convex(run: Run) -> dict[str, object]:
    assert run.harness is not None
    toolchain = {**run.harness.toolchain, "convex": "2.0.0"}
    return {"harness": examples.with_harness(run, toolchain=toolchain).harness}


NEW_RUNS: list[tuple[Change, str]] = [
    (_change_model(litellm_id="maker/m-2"), "asked another model"),
    (_change_model(origin=examples.make_digest()), "asked at another address"),
    (_change_model(parameters={"temperature": True}), "was asked for other parameters"),
    (_change_model(parameters={"temperature": 1, "seed": None}), "was asked for other parameters"),
    (_change_model(sent={"temperature": 1, "top_p": 0.5}), "sent other parameters"),
    (_change_model(sent=None), "does not record which parameters were sent"),
    (_change_model(max_output_tokens=None), "had another limit on replies"),
    (_change_experiment(guidelines=examples.make_digest()), "was sent other guidelines"),
    (_change_experiment(guidelines=None), "was sent other guidelines"),
    (_change_convex, "named convex 1.0.0"),
    (
        lambda _: {"started_at": examples.NOON + timedelta(days=90, seconds=1)},
        "began more than 90 days before",
    ),
    (lambda _: {"started_at": examples.NOON - timedelta(seconds=1)}, "began later"),
]


@pytest.mark.parametrize(("change", "why"), NEW_RUNS)
def test_each_condition_on_the_new_run(first: Run, bench: Bench, change: Change, why: str) -> None:
    """A broken condition makes the run ask every question, and the plan has the reason."""
    bench.start_new_version()
    asked = bench.make_questions()
    plan = bench.plan(asked._replace(run=asked.run.model_copy(update=change(asked.run))))
    assert plan.answers == []
    assert set(plan.asked.values()) == {UNANSWERED}
    assert plan.refused == {first.run_id: why}


EARLIER_RUNS: list[tuple[Change, str]] = [
    (lambda run: {"model": run.model.model_copy(update={"sent": None})}, "does not record which"),
    (lambda _: {"harness": None}, "named convex in an unknown version"),
    (lambda _: {"status": "running", "attempts": ()}, "has not ended"),
    (lambda _: {"provenance": IMPORTED}, "was published by others"),
    (lambda _: {"started_at": None}, "does not record when it began"),
]


@pytest.mark.parametrize(("change", "why"), EARLIER_RUNS)
def test_each_condition_on_the_earlier_run(
    first: Run, bench: Bench, change: Change, why: str
) -> None:
    """An earlier record that proves too little is no source, and the plan has the reason."""
    bench.write(first.model_copy(update=change(first)))
    bench.start_new_version()
    plan = bench.plan(bench.make_questions())
    assert (plan.answers, len(plan.asked)) == ([], 3)
    (refusal,) = plan.refused.values()
    assert refusal.startswith(why)


@pytest.mark.parametrize(
    "changes",
    [
        {"generation": None},
        {"steps": None, "tests": None},
        {"artifact": None},
        {"artifact": examples.make_digest()},
        {
            "generation": examples.make_generation().model_copy(
                update={"reply_digest": examples.make_digest()}
            )
        },
    ],
)
def test_an_answer_that_is_not_whole_is_asked_again(
    first: Run, bench: Bench, changes: dict[str, object]
) -> None:
    """An answer with an incomplete record or another archived text is asked again, alone."""
    broken = first.attempts[0].model_copy(update=changes)
    bench.write(first.model_copy(update={"attempts": (broken, *first.attempts[1:])}))
    bench.start_new_version()
    plan = bench.plan(bench.make_questions())
    assert plan.asked == {(NAMES[0], 1): UNANSWERED}


def test_an_answer_without_a_verdict_is_carried_over(first: Run, bench: Bench) -> None:
    """The reply is whole: only the grading broke, and grading is repeated anyway."""
    fault = {"kind": "backend", "evidence": "it fell over"}
    broken = type(first.attempts[0]).model_validate(
        dict(first.attempts[0])
        | {"outcome": Outcome.INFRASTRUCTURE, "fault": fault, "steps": (), "tests": None}
    )
    bench.write(first.model_copy(update={"attempts": (broken, *first.attempts[1:])}))
    bench.start_new_version()
    assert bench.plan(bench.make_questions()).asked == {}


def test_an_archive_that_is_gone_is_reported(first: Run, bench: Bench) -> None:
    """No answer of that run is carried over, and the run continues."""
    bench.data.get_artifact_file("maker/m", first.run_id).unlink()
    bench.start_new_version()
    plan = bench.plan(bench.make_questions())
    (refusal,) = plan.refused.values()
    assert refusal.startswith("has no archive that can be read")


def test_withdrawn_runs_are_no_source(first: Run, bench: Bench) -> None:
    """Withdrawn runs count nowhere, and the plan does not list them as refused."""
    bench.write(first.model_copy(update={"withdrawn": Withdrawal(by="us", reason="wrong key")}))
    bench.start_new_version()
    plan = bench.plan(bench.make_questions())
    assert (plan.answers, plan.refused) == ([], {})


def test_a_run_of_the_same_version_is_a_repeat(bench: Bench) -> None:
    """The evals that a run of this version judged are asked again, even with earlier answers."""
    bench.run(bench.make_questions())
    assert set(bench.plan(bench.make_questions()).asked.values()) == {REPEATED}
    bench.start_new_version()
    part = bench.plan(bench.make_questions())
    second = bench.run(bench.make_questions(), part)
    assert set(bench.plan(bench.make_questions()).asked.values()) == {REPEATED}
    going = second.model_copy(update={"status": "running", "attempts": ()})
    bench.write(going)
    assert set(bench.plan(bench.make_questions()).asked.values()) == {REPEATED}


def test_the_newest_answer_is_taken(bench: Bench) -> None:
    """The newest of several runs that asked the same question is the source."""
    bench.run(bench.make_questions())
    newer = bench.run(bench.make_questions(examples.NOON + timedelta(days=2)))
    bench.start_new_version()
    plan = bench.plan(bench.make_questions(examples.NOON + timedelta(days=3)))
    assert plan.count_by_run() == {newer.run_id: 3}


def test_an_archive_that_changes_after_the_plan_ends_the_run(first: Run, bench: Bench) -> None:
    """Only proven answers enter a journal."""
    bench.start_new_version()
    plan = bench.plan(bench.make_questions())
    path = bench.data.get_artifact_file("maker/m", first.run_id)
    with Archive(path) as archive:
        artifacts = [archive.read(*key) for key in archive.list_places()]
    write_archive(path, (artifacts[0].model_copy(update={"reply": "forged"}), *artifacts[1:]))
    with pytest.raises(InvalidRecordError, match="has changed since the plan"):
        list(read_journal_entries(plan.answers))


STEPS = st.lists(
    st.tuples(st.integers(0, 60), st.sets(st.sampled_from(NAMES)), st.booleans()),
    min_size=1,
    max_size=5,
)


@settings(max_examples=max(1, settings().max_examples // 2), deadline=None)
@given(steps=STEPS)
def test_no_chain_makes_an_answer_younger(steps: list[tuple[int, set[str], bool]]) -> None:
    """Over any versions, an answer names the run that asked, at most 90 days before.

    A simple account of prompts and days predicts the asked and the carried over evals.
    """
    with tempfile.TemporaryDirectory() as folder:
        bench, began = Bench(Path(folder)), examples.NOON
        asked_at: dict[tuple[str, str], list[tuple[str, datetime]]] = {}
        for days, changed, carries in [(0, set[str](), False), *steps]:
            began += timedelta(days=days, seconds=1)
            bench.start_new_version(*changed)
            questions = bench.make_questions(began)
            plan = bench.plan(questions) if carries else None
            run = bench.run(questions, plan)
            for attempt in run.attempts:
                prompt = (attempt.eval, bench.tasks[attempt.eval])
                earlier = asked_at.setdefault(prompt, [])
                limit = timedelta(days=90)
                young = [run_id for run_id, then in earlier if began - then <= limit]
                origin = attempt.carried_over
                expected = young[-1] if young and carries else None
                assert (origin and origin.run) == expected
                if origin is None:
                    earlier.append((run.run_id, began))
        assert [str(problem) for problem in check_data(bench.data)] == []


PASSED, FAILED, INFRASTRUCTURE, NOT_RUN = Outcome
SLUG = "maker/model"
VERSION = "0123456789ab"


def make_ended_attempt(name: str, outcome: Outcome) -> Attempt:
    """Return an attempt with this outcome."""
    if outcome is not NOT_RUN:
        return examples.make_attempt(name, outcome=outcome)
    return attempt.make_attempt(name, 1, NOT_RUN)


def make_run_on_day(
    day: int, outcomes: Mapping[str, Outcome], slug: str = SLUG, **more: object
) -> Run:
    """Return a run that began on this day and has these outcomes."""
    attempts = tuple(make_ended_attempt(name, outcomes[name]) for name in sorted(outcomes))
    letter = "abcdefghij"[day]
    run = examples.with_model(examples.make_run(letter * 32, planned_only=True), slug=slug)
    complete = NOT_RUN not in outcomes.values()
    return Run.model_validate(
        dict(run)
        | {
            "planned": tuple(sorted(outcomes)),
            "status": "completed" if complete else "aborted",
            "started_at": examples.NOON + timedelta(days=day),
            "finished_at": examples.NOON + timedelta(days=day),
            "attempts": attempts,
            "totals": compute_run_totals(attempts),
            **more,
        }
    )


def read_outcomes(data: DataFolder, version: str = VERSION, slug: str = SLUG) -> dict[str, Outcome]:
    """Return the outcome in the history of each eval."""
    history = read_histories(data, version)[slug, "default"]
    return {name: attempts[0].outcome for name, attempts in history.attempts.items()}


A, B, C, D = (examples.make_eval_name(number) for number in range(4))


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return an empty data folder."""
    return DataFolder(tmp_path)


def test_a_run_of_one_eval_leaves_results_of_others(data: DataFolder) -> None:
    """A run of a part, after a whole run, changes the verdicts of that part alone."""
    write_run(data, make_run_on_day(0, {A: PASSED, B: FAILED, C: FAILED}))
    write_run(data.local, make_run_on_day(1, {B: PASSED}))
    assert read_outcomes(data) == {A: PASSED, B: PASSED, C: FAILED}
    assert read_histories(data, VERSION)[SLUG, "default"].list_failed_evals() == [C]


def test_no_verdict_replaces_a_verdict(data: DataFolder) -> None:
    """Infrastructure faults and evals that did not run leave the earlier verdict unchanged."""
    write_run(data, make_run_on_day(0, {A: PASSED, B: FAILED}))
    write_run(
        data, make_run_on_day(1, {A: INFRASTRUCTURE, B: NOT_RUN, C: INFRASTRUCTURE, D: NOT_RUN})
    )
    assert read_outcomes(data) == {A: PASSED, B: FAILED, C: INFRASTRUCTURE}
    history = read_histories(data, VERSION)[SLUG, "default"]
    assert history.list_failed_evals() == [B, C]
    assert history.latest.unjudged == 4


def test_withdrawn_runs_and_those_of_other_versions_show_nothing(data: DataFolder) -> None:
    """Runs that sent another text under the name of the latest experiment add nothing either."""
    write_run(
        data, make_run_on_day(0, {A: PASSED}, withdrawn=Withdrawal(by="me", reason="wrong key"))
    )
    write_run(data, make_run_on_day(1, {B: PASSED}, benchmark_version="ba9876543210"))
    other = examples.make_run().experiment.model_copy(update={"guidelines": "0" * 64})
    write_run(data, make_run_on_day(2, {C: PASSED}, experiment=other))
    write_run(data, make_run_on_day(3, {D: FAILED}))
    assert read_outcomes(data) == {D: FAILED}


@pytest.mark.parametrize("has_record", [True, False])
def test_a_killed_run_counts_with_its_journal(data: DataFolder, *, has_record: bool) -> None:
    """The record of a killed run, where it exists yet, has only the plan."""
    ended = make_run_on_day(0, {A: NOT_RUN, B: NOT_RUN, C: NOT_RUN})
    plan = examples.with_attempts(ended, (), status="running", finished_at=None)
    if has_record:
        write_run(data.local, plan)
    path = data.local.get_journal_file(SLUG, plan.run_id)
    with examples.create_journal(path, Opened(run=plan)) as journal:
        made = examples.make_attempt(A, outcome=FAILED)
        journal.append(
            Generated(
                eval=A, sample=1, messages=(), reply="no", generation=made.generation, fault=None
            )
        )
        journal.append(Graded(attempt=made, files={}, logs={}))
    assert read_outcomes(data) == {A: FAILED}
    history = read_histories(data, VERSION)[SLUG, "default"]
    assert history.is_local
    assert history.latest.unjudged == 2


@pytest.mark.integration
def test_failed_repeats_evals_that_no_later_run_has_passed(
    data: DataFolder, prose_suite: Path
) -> None:
    """A second --failed, after --failed of a part, still chooses the other failed evals."""
    suite = discover(prose_suite)
    version = make_benchmark(suite).version
    first, second, third, *_ = (evaluation.name for evaluation in suite.evals)
    slug = "baseline/stub"
    experiment = make_experiment_setup(suite, None, None)
    same = {"benchmark_version": version, "experiment": experiment.make_experiment()}
    write_run(
        data, make_run_on_day(0, {first: PASSED, second: FAILED, third: FAILED}, slug, **same)
    )
    write_run(data.local, make_run_on_day(1, {second: PASSED}, slug, **same))
    settings = RunSettings(models=["stub"], failed_only=True)
    scope = RunScope(Destination(suite, data), [experiment], suite.evals)
    (plan,) = plan_runs(settings, scope)
    assert plan.run.planned == (third,)
    write_run(data.local, make_run_on_day(2, {third: PASSED}, slug, **same))
    with pytest.raises(BadSelectionError, match="none of the selected evals failed"):
        plan_runs(settings, scope)
