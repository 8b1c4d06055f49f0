"""Moves a local run to the published records, and takes published runs out of scores."""

import shutil
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from records.files.data_folder import DataFolder
from records.files.plain_files import open_plain
from records.reader import read_benchmark, read_report
from records.runs.carrying import find_sharing_runs, list_carried_answers
from records.shapes.run import Run, UndoneWithdrawal, Withdrawal
from records.suites.benchmark import Benchmark
from records.text.visible import counted
from records.writer import atomic_file, write_run
from runner.errors import NotPublishableError
from runner.runs.stored import stored_answers


def obstacles(data: DataFolder, run: Run) -> list[str]:
    """Return why readers could not rely on ``run``, a line each; empty where they can.

    ``run`` has ended, or is planned: then it is unknown whether all attempts will be judged.
    A reason to publish the run all the same overrides each of them.
    """
    reasons: list[str] = []
    if run.unjudged and run.status != "running":
        planned = len(run.planned) * run.samples
        verdicts = planned - run.unjudged
        reasons.append(f"it is incomplete: {verdicts} of {planned} attempts have a verdict")
    benchmark = _benchmark(data, run.benchmark_version)
    if benchmark is None or benchmark.minted_at is None:
        reasons.append(
            f"its benchmark version {run.benchmark_version} is not minted: leaderboard suite mint"
        )
    if benchmark is not None and benchmark.evals.keys() != set(run.planned):
        whole = counted(len(benchmark.evals), "eval")
        reasons.append(f"it is of a part of the suite: {len(run.planned)} of {whole}")
    if run.harness is None or run.harness.git_commit is None:
        reasons.append("it does not say of which commit this program was")
    elif run.changed_commit is not None:
        reasons.append(
            f"files of this program differed from commit {run.changed_commit}: git status"
        )
    return reasons


def check_plans(data: DataFolder, planned: Iterable[Run], why: str | None) -> None:
    """Check, before any paid request, that runs can be published when they have ended.

    Raises:
        NotPublishableError: readers could not rely on a run, and ``why`` is None.
    """
    reasons = dict.fromkeys(reason for run in planned for reason in obstacles(data, run))
    if reasons and why is None:
        raise NotPublishableError(
            f"--publish: readers could not rely on this run: {'; '.join(reasons)}. Nobody was "
            "asked. Mend it, leave --publish out, or give --why TEXT, which the record keeps"
        )


def check_publishable(data: DataFolder, run: Run, why: str | None) -> None:
    """Check that a local run can be published.

    Raises:
        NotPublishableError: the run goes on, or cannot be relied on and ``why`` is None, or its
            archive lacks the graded answers, or another run has the first 8 characters of its id.
        RecordsError: the archive cannot be read.
    """
    slug = run.model.slug
    if run.status == "running" or data.local.journal_file(slug, run.run_id).exists():
        raise NotPublishableError(
            f"run {run.run_id} has not ended: leaderboard run --resume {run.run_id[:8]}"
        )
    reasons = obstacles(data, run)
    if reasons and why is None:
        raise NotPublishableError(
            f"run {run.run_id}: {'; '.join(reasons)}. --why TEXT publishes it all the same"
        )
    _check_carried(data, run)
    wrong = [
        answer.attempt.eval for answer in stored_answers(data.local, run) if not answer.is_intact
    ]
    if wrong:
        raise NotPublishableError(f"run {run.run_id}: the archive of {wrong[0]} was changed")
    target = data.run_file(slug, run.run_id)
    alike = [path for path in target.parent.glob(f"{run.run_id[:8]}*.json") if path != target]
    if alike:
        raise NotPublishableError(f"{alike[0]} begins as run {run.run_id} does: run it again")


def publish(data: DataFolder, run: Run, why: str | None) -> Path:
    """Move a local run with its archive and reports to the published records; return its path.

    The record comes last, so that it never names a missing archive, and the local files
    go after that: if the process is killed at any moment, the next call goes on.

    Raises:
        NotPublishableError: see `check_publishable`.
        RecordsError: the archive or a report cannot be read.
    """
    check_publishable(data, run, why)
    slug = run.model.slug
    target = data.run_file(slug, run.run_id)
    _copy(data.local.artifact_file(slug, run.run_id), data.artifact_file(slug, run.run_id))
    _copy(
        data.local.benchmark_file(run.benchmark_version), data.benchmark_file(run.benchmark_version)
    )
    _copy(data.local.suite_file(run.benchmark_version), data.suite_file(run.benchmark_version))
    reports = _reports(data.local, run)
    for path in reports:
        _copy(path, data.reports(slug) / path.name)
    doubtful = bool(obstacles(data, run))
    write_run(data, run.model_copy(update={"published_because": why}) if doubtful else run)
    for path in reports:
        path.unlink()
    data.local.run_file(slug, run.run_id).unlink(missing_ok=True)
    data.local.artifact_file(slug, run.run_id).unlink(missing_ok=True)
    return target


def _check_carried(data: DataFolder, run: Run) -> None:
    """Check that readers can look up the origin of each answer, and that none counts twice.

    Raises:
        NotPublishableError: an earlier run is not published, or another has the same answers.
    """
    for asking in sorted({answer.run for answer in list_carried_answers(run)}):
        if not data.run_file(run.model.slug, asking).exists():
            raise NotPublishableError(
                f"run {run.run_id} carried over answers of run {asking}: publish run {asking} first"
            )
    for other in find_sharing_runs(data, run, run.benchmark_version):
        raise NotPublishableError(
            f"run {run.run_id} has answers that run {other.run_id} of the same version has, too: "
            "scores would count them twice"
        )


def withdrawn(run: Run, by: str, reason: str, at: datetime) -> Run:
    """Return the record of a run that is out of all scores; nothing is written.

    Raises:
        NotPublishableError: the run was withdrawn before.
    """
    if run.withdrawn is not None:
        raise NotPublishableError(
            f"run {run.run_id} was withdrawn before: {run.withdrawn.reason}. --undo takes it back"
        )
    return run.model_copy(update={"withdrawn": Withdrawal(by=by, reason=reason, at=at)})


def reinstated(run: Run, by: str, reason: str, at: datetime) -> Run:
    """Return the record of a run whose withdrawal is taken back; nothing is written.

    The record keeps the withdrawal, with the person who took it back and the reason.

    Raises:
        NotPublishableError: the run is not withdrawn.
    """
    before = run.withdrawn
    if before is None:
        raise NotPublishableError(f"run {run.run_id} is not withdrawn: nothing is to be undone")
    undone = UndoneWithdrawal(**dict(before), undone_by=by, undone_because=reason, undone_at=at)
    changes = {"withdrawn": None, "undone_withdrawals": (*run.undone_withdrawals, undone)}
    return run.model_copy(update=changes)


def _benchmark(data: DataFolder, version: str) -> Benchmark | None:
    for folder in (data, data.local):
        path = folder.benchmark_file(version)
        if path.exists():
            return read_benchmark(path)
    return None


def _reports(folder: DataFolder, run: Run) -> list[Path]:
    own = folder.reports(run.model.slug)
    paths = [path for path in folder.report_files() if path.parent == own]
    return [path for path in paths if read_report(path).run == run.run_id]


def _copy(source: Path, target: Path) -> None:
    """Copy a file whole or not at all; an existing target stays as it is."""
    if source.exists() and not target.exists():
        with open_plain(source) as source_file, atomic_file(target) as file:
            shutil.copyfileobj(source_file, file)
