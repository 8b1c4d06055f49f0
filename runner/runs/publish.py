"""Moves a local run to the published records, and takes published runs out of scores."""

import shutil
from pathlib import Path

from records.benchmark import Benchmark
from records.folder import DataFolder
from records.plain_files import open_plain
from records.reader import read_benchmark, read_report
from records.run import Run, Withdrawal
from records.writer import atomic_file, write_run
from runner.errors import NotPublishableError
from runner.runs.stored import stored_answers


def obstacles(data: DataFolder, run: Run) -> list[str]:
    """Return why readers could not rely on ``run``, a line each; nothing where they can.

    Each can be overcome by saying why the run is to be published all the same.
    """
    found: list[str] = []
    if run.unjudged:
        planned = len(run.planned) * run.samples
        verdicts = planned - run.unjudged
        found.append(f"it is incomplete: {verdicts} of {planned} attempts have a verdict")
    benchmark = _benchmark(data, run.benchmark_version)
    if benchmark is None or benchmark.minted_at is None:
        found.append(
            f"its benchmark version {run.benchmark_version} is not minted: leaderboard suite mint"
        )
    if benchmark is not None and benchmark.evals.keys() != set(run.planned):
        found.append(
            f"it is of a part of the suite: {len(run.planned)} of {len(benchmark.evals)} evals"
        )
    commit = run.harness.git_commit if run.harness else None
    if commit is None:
        found.append("it does not say of which commit this program was")
    elif commit.endswith("+changes"):
        found.append(
            f"files of this program differed from commit {commit.removesuffix('+changes')}"
        )
    return found


def publish(data: DataFolder, run: Run, why: str | None) -> Path:
    """Move a local run with its archive and reports to the published records; return its path.

    The record comes last, so that it never names an archive that is not there, and the local files
    go after that: killed at any moment, the next call goes on.

    Raises:
        NotPublishableError: the run cannot be relied on and ``why`` is None, or goes on, or its
            archive is not what was graded, or another run has the first 8 characters of its id.
        RecordsError: the archive or a report cannot be read.
    """
    found = obstacles(data, run)
    if found and why is None:
        raise NotPublishableError(
            f"run {run.run_id}: {'; '.join(found)}. --why TEXT publishes it all the same"
        )
    slug = run.model.slug
    if run.status == "running" or data.local.journal_file(slug, run.run_id).exists():
        raise NotPublishableError(f"run {run.run_id} has not ended: leaderboard run --resume")
    wrong = [one.attempt.eval for one in stored_answers(data.local, run) if not one.is_intact]
    if wrong:
        raise NotPublishableError(f"run {run.run_id}: the archive of {wrong[0]} was changed")
    target = data.run_file(slug, run.run_id)
    alike = [path for path in target.parent.glob(f"{run.run_id[:8]}*.json") if path != target]
    if alike:
        raise NotPublishableError(f"{alike[0]} begins as run {run.run_id} does: run it again")
    _copy(data.local.artifact_file(slug, run.run_id), data.artifact_file(slug, run.run_id))
    _copy(
        data.local.benchmark_file(run.benchmark_version), data.benchmark_file(run.benchmark_version)
    )
    reports = _reports(data.local, run)
    for path in reports:
        _copy(path, data.reports(slug) / path.name)
    write_run(data, run.model_copy(update={"published_because": why}) if found else run)
    for path in reports:
        path.unlink()
    data.local.run_file(slug, run.run_id).unlink(missing_ok=True)
    data.local.artifact_file(slug, run.run_id).unlink(missing_ok=True)
    return target


def withdraw(folder: DataFolder, run: Run, by: str, reason: str) -> Run:
    """Take a run out of all scores; its record stays, with the reason. Return the record.

    Raises:
        NotPublishableError: it was withdrawn before.
    """
    if run.withdrawn is not None:
        raise NotPublishableError(f"run {run.run_id} was withdrawn before: {run.withdrawn.reason}")
    withdrawn = run.model_copy(update={"withdrawn": Withdrawal(by=by, reason=reason)})
    write_run(folder, withdrawn)
    return withdrawn


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
    """Copy a file so that it is there whole or not at all; one that is there stays."""
    if source.exists() and not target.exists():
        with open_plain(source) as given, atomic_file(target) as file:
            shutil.copyfileobj(given, file)
