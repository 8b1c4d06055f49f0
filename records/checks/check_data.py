"""Checks of all files in a data folder, alone and against each other, for `leaderboard check`."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from records.checks.demonstration import find_misplaced_demonstrations
from records.checks.findings import Problem, read_at_their_places, try_reading
from records.checks.report_checks import check_reports
from records.checks.run_checks import (
    check_archives,
    check_run,
    compute_import_digests,
    find_answers_counted_twice,
    find_shared_ids,
)
from records.checks.session_checks import (
    check_audits,
    check_comparisons,
    check_datasets_and_opinions,
    check_sessions,
)
from records.checks.suite_checks import check_suites
from records.errors import RecordsError
from records.files.data_folder import KEYS, DataFolder
from records.files.leftovers import find_leftovers
from records.journal import journal
from records.reader import read_benchmark, read_models, read_registry, read_trial
from records.runs.former_folders import list_former_folders
from records.suites.benchmark import Benchmark

_MOVE: Final = "`leaderboard check --repair --names`"


def check_all(folder: DataFolder) -> list[Problem]:
    """Return all problems in ``folder`` and in its ``local`` part, if it has one."""
    wrong = folder.describe_misfit()
    if wrong is not None:
        return [Problem(folder.root, "", wrong)]
    problems = check_data(folder)
    for path in find_misplaced_demonstrations(folder):
        reason = "is a demonstration session: delete it with its labels, docs/demo has the set"
        problems.append(Problem(path, "source.importer", reason))
    if folder.local.root.is_dir():
        problems += check_data(folder.local, shared=folder)
        published = {path.name: path for path in folder.list_run_files()}
        for path in folder.local.list_run_files():
            if path.name in published:
                reason = f"{path.stem} is also at {published[path.name]}"
                problems.append(Problem(path, "run_id", reason))
    return problems


def check_data(folder: DataFolder, *, shared: DataFolder | None = None) -> list[Problem]:
    """Return all problems in ``folder`` without its ``local`` part, in the order of its files.

    Args:
        folder: the folder to check.
        shared: the published folder if ``folder`` is its ``local`` part, else None. Its benchmark
            versions and imports count, too.
    """
    problems: list[Problem] = []
    _check_registry(folder, shared, problems)
    benchmarks, imports = _read_benchmarks(folder, problems), compute_import_digests(folder)
    if shared is not None:
        benchmarks = {**_read_benchmarks(shared, []), **benchmarks}
        imports |= compute_import_digests(shared)
    runs = [
        run
        for path in folder.list_run_files()
        if (run := check_run(folder, shared, path, benchmarks, imports, problems)) is not None
    ]
    problems += find_shared_ids(runs)
    problems += find_answers_counted_twice(runs)
    check_archives(folder, {run.path for run in runs}, problems)
    check_reports(folder, runs, problems)
    _check_trials(folder, shared, problems)
    check_suites(folder, benchmarks, problems)
    check_sessions(folder, shared, problems)
    check_audits(folder, runs, shared, problems)
    check_comparisons(folder, problems)
    check_datasets_and_opinions(folder, problems)
    problems += [
        _report_unended(path) for path in folder.list_journal_files() if not journal.is_in_use(path)
    ]
    problems += [_report_damaged(path) for path in folder.list_damaged_files()]
    problems += [_report_leftover(folder, path) for path in find_leftovers(folder)]
    problems += _find_strays(folder)
    problems += [
        Problem(former, "", f"has a name that Windows refuses: {_MOVE} moves it to {present.name}")
        for former, present in list_former_folders(folder)
    ]
    return problems


def _find_strays(folder: DataFolder) -> Iterator[Problem]:
    """Yield a problem for each file of the folders of records that nothing reads."""
    belong: dict[str, tuple[Iterable[Path], str]] = {
        "benchmarks": (folder.list_benchmark_files(), "benchmarks/<version>.json"),
        "runs": (
            [*folder.list_run_files(), *folder.list_journal_files(), *folder.list_damaged_files()],
            "runs/<provider>/<model>/<run id>.json",
        ),
        "artifacts": (folder.list_artifact_files(), "artifacts/<provider>/<model>/<run id>.zip"),
        "reports": (folder.list_report_files(), "reports/<provider>/<model>/<run>_<date>.md"),
        "suites": (folder.list_suite_files(), "suites/<benchmark version>.json"),
        "trials": (folder.list_trial_files(), "trials/<id>.json"),
        "sessions": (
            [*folder.list_published_session_files(), *folder.list_published_label_files()],
            "sessions/<id>.json, its labels at sessions/<id>.labels.jsonl",
        ),
        "audits": (folder.list_audit_files(), "audits/<benchmark version>-<seed>.json"),
        "comparisons": (
            [*folder.list_comparison_files(), *folder.list_judgement_files()],
            "comparisons/<id>.json, judgements at comparisons/<id>.judgements.jsonl",
        ),
        "datasets": (folder.list_dataset_files(), "datasets/<name>.json"),
        "opinions": (folder.list_opinions_files(), "opinions/<id>.json"),
    }
    for kind, (expected, pattern) in belong.items():
        read = set(expected)
        for path in sorted((folder.root / kind).rglob("*")):
            hidden = any(part.startswith(".") for part in path.relative_to(folder.root).parts)
            if path not in read and not hidden and not path.is_dir():
                yield Problem(path, "", f"is read by nothing; such files belong at {pattern}")
    for path in sorted({*folder.root.glob("[!.]*.json")} - {folder.root / KEYS}):
        yield Problem(path, "", "is read by nothing in this folder")


def _check_registry(folder: DataFolder, shared: DataFolder | None, problems: list[Problem]) -> None:
    if not folder.models_file.exists():
        return
    own = try_reading(problems, folder.models_file, read_registry)
    if own is not None and shared is not None:
        try_reading(problems, folder.models_file, lambda _: read_models(shared))


def _read_benchmarks(folder: DataFolder, problems: list[Problem]) -> dict[str, Benchmark]:
    paths, get_path = folder.list_benchmark_files(), folder.get_benchmark_file
    benchmarks = read_at_their_places(problems, paths, read_benchmark, "version", get_path)
    return {benchmark.version: benchmark for _, benchmark in benchmarks}


def _check_trials(folder: DataFolder, shared: DataFolder | None, problems: list[Problem]) -> None:
    folders = [folder, *([shared] if shared else [])]
    for path, trial in read_at_their_places(
        problems, folder.list_trial_files(), read_trial, "trial_id", folder.get_trial_file
    ):
        for number, run in enumerate(trial.runs):
            if not any(home.get_run_file(run.model, run.run_id).exists() for home in folders):
                reason = f"{run.run_id} is not a run of {run.model}"
                problems.append(Problem(path, f"runs.{number}.run_id", reason))


def _report_leftover(folder: DataFolder, path: Path) -> Problem:
    kind = path.relative_to(folder.root).parts[0]
    remedy = "resuming its run removes it, or " if kind in {"runs", "artifacts"} else ""
    return Problem(path, "", f"left by a writer that was killed; {remedy}delete it")


def _report_damaged(path: Path) -> Problem:
    reason = "has lines that `leaderboard check --repair` set aside; delete it if nobody needs them"
    return Problem(path, "", reason)


def _report_unended(path: Path) -> Problem:
    try:
        run = journal.read(path).header.run
    except RecordsError as error:
        return Problem(path, "", str(error).removeprefix(f"{path}: "))
    how = f"resume it with `leaderboard run --resume {run.run_id[:8]}`"
    return Problem(path, "", f"a run that did not end; {how}, or delete this file")
