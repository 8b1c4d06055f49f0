"""The history of a model over its runs: the latest verdict of each eval."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest

from records.files.data_folder import DataFolder
from records.journal.entries import Generated, Graded, Opened
from records.shapes import attempt
from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Run, Withdrawal
from records.shapes.totals import compute_run_totals
from records.writer import write_run
from runner.errors import BadSelectionError
from runner.evals.discovery import discover
from runner.runs.history import read_histories
from runner.runs.plan import Destination, RunScope, RunSettings, make_experiment_setup, plan_runs
from runner.suite.mint import make_benchmark
from tests.records.examples import NOON, create_journal, make_attempt, make_eval_name
from tests.records.examples import make_run as example

pytestmark = pytest.mark.unit

PASSED, FAILED, INFRASTRUCTURE, NOT_RUN = Outcome
SLUG: Final = "maker/model"
VERSION: Final = "0123456789ab"


def make_ended_attempt(name: str, outcome: Outcome) -> Attempt:
    """Return an attempt with this outcome."""
    if outcome is not NOT_RUN:
        return make_attempt(name, outcome=outcome)
    return attempt.make_attempt(name, 1, NOT_RUN)


def make_run_on_day(
    day: int, outcomes: Mapping[str, Outcome], slug: str = SLUG, **more: object
) -> Run:
    """Return a run that began on this day and has these outcomes."""
    attempts = tuple(make_ended_attempt(name, outcomes[name]) for name in sorted(outcomes))
    letter = "abcdefghij"[day]
    run = example(letter * 32, planned_only=True)
    complete = NOT_RUN not in outcomes.values()
    return Run.model_validate(
        dict(run)
        | {
            "model": run.model.model_copy(update={"slug": slug}),
            "planned": tuple(sorted(outcomes)),
            "status": "completed" if complete else "aborted",
            "started_at": NOON + timedelta(days=day),
            "finished_at": NOON + timedelta(days=day),
            "attempts": attempts,
            "totals": compute_run_totals(attempts),
            **more,
        }
    )


def read_outcomes(data: DataFolder, version: str = VERSION, slug: str = SLUG) -> dict[str, Outcome]:
    """Return the outcome in the history of each eval."""
    history = read_histories(data, version)[slug, "default"]
    return {name: attempts[0].outcome for name, attempts in history.attempts.items()}


A, B, C, D = (make_eval_name(number) for number in range(4))


def test_a_run_of_one_eval_leaves_results_of_others(tmp_path: Path) -> None:
    """A run of a part, after a whole run, changes the verdicts of that part alone."""
    data = DataFolder(tmp_path)
    write_run(data, make_run_on_day(0, {A: PASSED, B: FAILED, C: FAILED}))
    write_run(data.local, make_run_on_day(1, {B: PASSED}))
    assert read_outcomes(data) == {A: PASSED, B: PASSED, C: FAILED}
    assert read_histories(data, VERSION)[SLUG, "default"].list_failed_evals() == [C]


def test_no_verdict_replaces_a_verdict(tmp_path: Path) -> None:
    """Infrastructure faults and evals that did not run leave the earlier verdict unchanged."""
    data = DataFolder(tmp_path)
    write_run(data, make_run_on_day(0, {A: PASSED, B: FAILED}))
    write_run(
        data, make_run_on_day(1, {A: INFRASTRUCTURE, B: NOT_RUN, C: INFRASTRUCTURE, D: NOT_RUN})
    )
    assert read_outcomes(data) == {A: PASSED, B: FAILED, C: INFRASTRUCTURE}
    history = read_histories(data, VERSION)[SLUG, "default"]
    assert history.list_failed_evals() == [B, C]
    assert history.latest.unjudged == 4


def test_withdrawn_runs_and_those_of_other_versions_show_nothing(tmp_path: Path) -> None:
    """Runs that sent another text under the name of the latest experiment add nothing either."""
    data = DataFolder(tmp_path)
    write_run(
        data, make_run_on_day(0, {A: PASSED}, withdrawn=Withdrawal(by="me", reason="wrong key"))
    )
    write_run(data, make_run_on_day(1, {B: PASSED}, benchmark_version="ba9876543210"))
    other = example().experiment.model_copy(update={"guidelines": "0" * 64})
    write_run(data, make_run_on_day(2, {C: PASSED}, experiment=other))
    write_run(data, make_run_on_day(3, {D: FAILED}))
    assert read_outcomes(data) == {D: FAILED}


@pytest.mark.parametrize("has_record", [True, False])
def test_a_killed_run_counts_with_its_journal(tmp_path: Path, *, has_record: bool) -> None:
    """The record of a killed run, where it exists yet, has only the plan."""
    data = DataFolder(tmp_path)
    plan = make_run_on_day(0, {A: NOT_RUN, B: NOT_RUN, C: NOT_RUN}).model_copy(
        update={
            "attempts": (),
            "status": "running",
            "finished_at": None,
            "totals": compute_run_totals(()),
        }
    )
    if has_record:
        write_run(data.local, plan)
    path = data.local.get_journal_file(SLUG, plan.run_id)
    with create_journal(path, Opened(run=plan)) as journal:
        made = make_attempt(A, outcome=FAILED)
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
    tmp_path: Path, prose_suite: Path
) -> None:
    """A second --failed, after --failed of a part, still chooses the other failed evals."""
    suite = discover(prose_suite)
    data = DataFolder(tmp_path)
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
