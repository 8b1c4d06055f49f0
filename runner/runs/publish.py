"""Publication of local runs, and withdrawal of published runs from all scores."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from records.files.data_folder import DataFolder
from records.reader import find_benchmark, find_reports
from records.runs.carrying import find_sharing_runs, list_carried_answers
from records.shapes.run import Run, UndoneWithdrawal, Withdrawal
from records.text.numbers import format_count
from records.writer import write_run
from runner.errors import NotPublishableError
from runner.runs.provenance import find_commit
from runner.runs.regrade import copy_file, read_stored_answers
from runner.suite.mint import find_version_beside


def list_obstacles(data: DataFolder, run: Run) -> list[str]:
    """Return the reasons why readers could not rely on ``run``; empty if they can.

    ``run`` has ended or is planned. Attempts without a verdict are a reason only for a run that
    has ended. A run with such reasons needs a reason to publish it all the same.
    """
    reasons: list[str] = []
    if run.unjudged and run.status != "running":
        planned = run.planned_attempts
        verdicts = planned - run.unjudged
        reasons.append(f"it is incomplete: {verdicts} of {planned} attempts have a verdict")
    benchmark = find_benchmark(data, run.benchmark_version)
    if benchmark is None or benchmark.minted_at is None:
        reason = f"its benchmark version {run.benchmark_version} is not minted"
        today = None if run.status == "running" else find_version_beside(data)
        reasons.append(
            f"{reason}: leaderboard suite mint"
            if today in {None, run.benchmark_version}
            else f"{reason}, and the suite has changed since the run: leaderboard suite mint would "
            f"mint version {today}, so mint it and run again"
        )
    if benchmark is not None and benchmark.evals.keys() != set(run.planned):
        whole = format_count(len(benchmark.evals), "eval")
        reasons.append(f"it is of a part of the suite: {len(run.planned)} of {whole}")
    if run.harness is None or run.harness.git_commit is None:
        remedy = find_commit()[1] or "run again"
        reasons.append(f"it does not name the commit of this program: {remedy}")
    elif run.changed_commit is not None:
        reasons.append(
            f"files of this program differed from commit {run.changed_commit}: git status"
        )
    return reasons


def check_plans(data: DataFolder, planned: Iterable[Run], why: str | None) -> None:
    """Check, before any paid request, that readers could rely on planned runs.

    Raises:
        NotPublishableError: readers could not rely on a run, and ``why`` is None.
    """
    reasons = dict.fromkeys(reason for run in planned for reason in list_obstacles(data, run))
    if reasons and why is None:
        raise NotPublishableError(
            f"--publish: readers could not rely on this run: {'; '.join(reasons)}. No model was "
            "asked. Mend it, leave --publish out, or give --why TEXT, which the record keeps"
        )


def check_publishable(data: DataFolder, run: Run, why: str | None) -> None:
    """Check that a local run can be published.

    Raises:
        NotPublishableError: the run has not ended, or has `list_obstacles` and ``why`` is None, or
            its archive lacks the graded answers, or answers that it carried over are not published
            or count twice, or another run's id has the same first 8 characters.
        RecordsError: the archive cannot be read.
    """
    if run.status == "running" or data.local.get_journal_file(*run.key).exists():
        raise NotPublishableError(
            f"run {run.run_id} has not ended: leaderboard run --resume {run.short_id}"
        )
    reasons = list_obstacles(data, run)
    if reasons and why is None:
        raise NotPublishableError(
            f"run {run.run_id}: {'; '.join(reasons)}. --why TEXT publishes it all the same"
        )
    # The origins of carried-over answers must be published, and no answer may count twice.
    for asking in sorted({answer.run for answer in list_carried_answers(run)}):
        if not data.get_run_file(run.model.slug, asking).exists():
            raise NotPublishableError(
                f"run {run.run_id} carried over answers of run {asking}: publish run {asking} first"
            )
    for other in find_sharing_runs(data, run, run.benchmark_version):
        raise NotPublishableError(
            f"run {run.run_id} has answers that run {other.run_id} of the same version has, too: "
            "scores would count them twice"
        )
    wrong = [
        answer.attempt.eval
        for answer in read_stored_answers(data.local, run)
        if not answer.is_intact
    ]
    if wrong:
        raise NotPublishableError(f"run {run.run_id}: the archive of {wrong[0]} was changed")
    target = data.get_run_file(*run.key)
    alike = [path for path in target.parent.glob(f"{run.short_id}*.json") if path != target]
    if alike:
        raise NotPublishableError(
            f"{alike[0]} has the same first 8 characters of its id as run {run.run_id}: "
            "run it again"
        )


def publish(data: DataFolder, run: Run, why: str | None) -> Path:
    """Move a local run with its archive and reports to the published records.

    Returns the path of the published record. The record is written after the archive, which it
    names, and the local files are removed after the record. If the process is killed at any
    moment, the next call completes the work.

    Raises:
        NotPublishableError: see `check_publishable`.
        RecordsError: the archive or a report cannot be read.
    """
    check_publishable(data, run, why)
    target = data.get_run_file(*run.key)
    reports = [path for path, _ in find_reports(data.local, run)]
    version = run.benchmark_version
    copies = [
        (data.local.get_artifact_file(*run.key), data.get_artifact_file(*run.key)),
        (data.local.benchmarks.get_file(version), data.benchmarks.get_file(version)),
        (data.local.suites.get_file(version), data.suites.get_file(version)),
        *((path, data.get_report_folder(run.model.slug) / path.name) for path in reports),
    ]
    for source, copy in copies:
        if not copy.exists():
            copy_file(source, copy)
    doubtful = bool(list_obstacles(data, run))
    write_run(data, run.model_copy(update={"published_because": why}) if doubtful else run)
    for path in reports:
        path.unlink()
    data.local.get_run_file(*run.key).unlink(missing_ok=True)
    data.local.get_artifact_file(*run.key).unlink(missing_ok=True)
    return target


def add_withdrawal(run: Run, by: str, reason: str, at: datetime) -> Run:
    """Return the record of ``run`` with its withdrawal from all scores; nothing is written.

    Raises:
        NotPublishableError: the run is withdrawn already.
    """
    if run.withdrawn is not None:
        raise NotPublishableError(
            f"run {run.run_id} is withdrawn already: {run.withdrawn.reason}. --undo takes this back"
        )
    return run.model_copy(update={"withdrawn": Withdrawal(by=by, reason=reason, at=at)})


def undo_withdrawal(run: Run, by: str, reason: str, at: datetime) -> Run:
    """Return the record of ``run`` without its withdrawal; nothing is written.

    The undone withdrawal stays in the record, with ``by``, ``reason`` and ``at``.

    Raises:
        NotPublishableError: the run is not withdrawn.
    """
    before = run.withdrawn
    if before is None:
        raise NotPublishableError(f"run {run.run_id} is not withdrawn: there is nothing to undo")
    undone = UndoneWithdrawal(**dict(before), undone_by=by, undone_because=reason, undone_at=at)
    changes = {"withdrawn": None, "undone_withdrawals": (*run.undone_withdrawals, undone)}
    return run.model_copy(update=changes)
