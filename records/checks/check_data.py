"""Checks of all files in a data folder, alone and against each other, for `leaderboard check`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from records.checks.findings import Problem, find_misplaced, read_at_their_places, try_reading
from records.checks.run_checks import (
    CheckedRun,
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
from records.errors import RecordsError
from records.files.data_folder import KEYS, DataFolder, get_model_slug
from records.journal import journal
from records.reader import (
    read_benchmark,
    read_models,
    read_registry,
    read_report,
    read_session,
    read_suite,
    read_trial,
)
from records.runs.former_folders import list_former_folders
from records.sessions.session import Session
from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure, Report, build_report_name
from records.suites.benchmark import Benchmark, compute_texts_digest
from records.writer import find_leftovers

_MOVE: Final = "`leaderboard check --repair --names`"
DEMO: Final = "demo"
"""The importer in the source of demonstration sessions."""


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


def is_demonstration(session: Session) -> bool:
    """Return whether a session is one of the demonstration."""
    return session.source.kind == "file" and session.source.importer == DEMO


def find_misplaced_demonstrations(folder: DataFolder) -> Iterator[Path]:
    """Yield the demonstration sessions of a data folder that has other records, too.

    Args:
        folder: a published folder, which is checked together with its ``local`` part.
    """
    sessions = chain(
        folder.list_published_session_files(), folder.local.list_published_session_files()
    )
    demonstrations: list[Path] = []
    has_others = any(map(_has_measurements, (folder, folder.local)))
    for path in sessions:
        try:
            session = read_session(path)
        except RecordsError:
            continue  # check_sessions reports it
        if is_demonstration(session):
            demonstrations.append(path)
        else:
            has_others = True
    if has_others:
        yield from demonstrations


def _has_measurements(folder: DataFolder) -> bool:
    files = chain(
        folder.list_run_files(),
        folder.list_benchmark_files(),
        folder.list_report_files(),
        folder.list_trial_files(),
    )
    return folder.models_file.exists() or next(files, None) is not None


def check_suites(
    folder: DataFolder, benchmarks: Mapping[str, Benchmark], problems: list[Problem]
) -> None:
    """Check that each text of a suite is that of its benchmark version."""
    for path, suite in read_at_their_places(
        problems, folder.list_suite_files(), read_suite, "version", folder.get_suite_file
    ):
        benchmark = benchmarks.get(suite.version)
        if benchmark is None:
            problems.append(Problem(path, "version", "no benchmark version is defined under it"))
            continue
        for name in sorted(suite.evals.keys() | benchmark.evals.keys()):
            described, defined = suite.evals.get(name), benchmark.evals.get(name)
            if described is None or defined is None:
                reason = "is in only one of this file and the benchmark version"
                problems.append(Problem(path, f"evals.{name}", reason))
            elif defined.task not in {None, compute_texts_digest(described.task)}:
                reason = "its text is not that of the benchmark version"
                problems.append(Problem(path, f"evals.{name}.task", reason))


def check_reports(folder: DataFolder, runs: Sequence[CheckedRun], problems: list[Problem]) -> None:
    """Check that the runs of reports exist and agree, and that reports agree about classes."""
    by_place = {(run.slug, run.run_id): run for run in runs}
    classed: dict[tuple[str, str, int], tuple[FailureClass, Path]] = {}
    for path in folder.list_report_files():
        report = try_reading(problems, path, read_report)
        if report is None:
            continue
        problems += find_misplaced(path, "run and date", path.with_name(build_report_name(report)))
        run = by_place.get((get_model_slug(path), report.run))
        if run is None:
            reason = f"{report.run} is not a run of {get_model_slug(path)}"
            problems.append(Problem(path, "run", reason))
        else:
            problems += _find_report_problems(path, report, run)
            problems += _find_contradictions(path, report, run, classed)


def _find_contradictions(
    path: Path,
    report: Report,
    run: CheckedRun,
    classed: dict[tuple[str, str, int], tuple[FailureClass, Path]],
) -> Iterator[Problem]:
    """Yield a problem for each attempt that an earlier report gives another class.

    The classes of ``report`` are added to ``classed``.
    """
    single = {(failure.eval, failure.sample) for failure in report.failures}
    for failure in report.failures:
        mine = failure.failure_class
        if mine is None or report.draft:
            continue
        for name, sample in sorted(run.failed):
            # An entry without a sample is about all samples of the eval that have no entry of
            # their own.
            about = failure.sample == sample if failure.sample else (name, sample) not in single
            if name != failure.eval or not about:
                continue
            earlier, where = classed.setdefault((run.run_id, name, sample), (mine, path))
            if earlier is not mine:
                reason = f"{name} sample {sample} is {earlier} in {where}, and {mine} here"
                yield Problem(path, f"{_name_failure(failure)}.class", reason)


def _find_report_problems(path: Path, report: Report, run: CheckedRun) -> Iterator[Problem]:
    for name in ("planned", "passed", "benchmark_version", "experiment"):
        stated, true = getattr(report, name), getattr(run, name)
        if stated is not None and stated != true:
            yield Problem(path, name, f"is {stated}, the run has {true}")
    failed = {name for name, _ in run.failed}
    for failure in report.failures:
        attempt = (failure.eval, failure.sample)
        if failure.eval not in failed or (failure.sample and attempt not in run.failed):
            yield Problem(path, _name_failure(failure), f"{failure.eval} did not fail in the run")
        # A report that others published may have failures to which they gave no class.
        if failure.failure_class is None and not report.draft and report.source is None:
            reason = f"{failure.eval} has no class: give it one, or set draft: true"
            yield Problem(path, f"{_name_failure(failure)}.class", reason)
    still = {*run.failed, *((name, None) for name in failed)}
    for number, failure in enumerate(report.mended):
        if (failure.eval, failure.sample) in still:
            yield Problem(path, f"mended.{number}", f"{failure.eval} still fails in the run")
    if missing := sorted(failed - {failure.eval for failure in report.failures}):
        yield Problem(path, "failures", f"not listed: {', '.join(missing)}")


def _name_failure(failure: ClassedFailure) -> str:
    """Return the place of a failure in a report, in the form of `records.files.problems`."""
    sample = f" sample {failure.sample}" if failure.sample else ""
    return f"failures[{failure.eval}{sample}]"
