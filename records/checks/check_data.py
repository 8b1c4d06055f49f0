"""Checks of all files in a data folder, alone and against each other, for `leaderboard check`."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from pathlib import Path

from records.checks.run_checks import (
    CheckedRun,
    FolderCheck,
    check_answers_counted_once,
    check_ids,
    check_run,
    compute_import_digests,
)
from records.errors import InvalidRecordError, RecordsError
from records.files.data_folder import KEYS, LABELS, DataFolder, get_model_slug, list_former_folders
from records.files.plain_files import is_locked
from records.journal.journal import read as read_journal
from records.reader import read_models, read_record, read_registry, read_report
from records.sessions.asked import ComparisonJudgement, ModelComparison, SessionOpinions
from records.sessions.audit import Audit
from records.sessions.dataset import DatasetVersion
from records.sessions.events import AnyEvent, LogEvent, read_event_lines
from records.sessions.labels import LabelEvent
from records.sessions.session import Session, is_raw
from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure, Report, build_report_name
from records.shapes.trial import GuidelinesTrial
from records.suites.benchmark import Benchmark, compute_texts_digest
from records.suites.eval_config import SuiteDescription
from records.writer import find_leftovers

_MOVE = "`leaderboard check --repair --names`"
DEMO = "demo"
"""The importer in the source of demonstration sessions."""


def check_all(folder: DataFolder) -> list[InvalidRecordError]:
    """Return all problems in ``folder`` and in its ``local`` part, if it has one."""
    wrong = folder.describe_misfit()
    if wrong is not None:
        return [InvalidRecordError(folder.root, "", wrong)]
    problems = check_data(folder)
    for path in find_misplaced_demonstrations(folder):
        reason = "is a demonstration session: delete it with its labels, docs/demo has the set"
        problems.append(InvalidRecordError(path, "source.importer", reason))
    if folder.local.root.is_dir():
        problems += check_data(folder.local, shared=folder)
        published = {path.name: path for path in folder.list_run_files()}
        for path in folder.local.list_run_files():
            if path.name in published:
                reason = f"{path.stem} is also at {published[path.name]}"
                problems.append(InvalidRecordError(path, "run_id", reason))
    return problems


def check_data(folder: DataFolder, *, shared: DataFolder | None = None) -> list[InvalidRecordError]:
    """Return all problems in ``folder`` without its ``local`` part, in the order of its files.

    Args:
        folder: the folder to check.
        shared: the published folder if ``folder`` is its ``local`` part, else None. Its benchmark
            versions and imports count, too.
    """
    check = FolderCheck(folder, shared)
    if folder.models_file.exists():
        own = check.read(folder.models_file, read_registry)
        if own is not None and shared is not None:
            check.read(folder.models_file, lambda _: read_models(shared))
    benchmarks, imports = _read_benchmarks(check), compute_import_digests(folder)
    if shared is not None:
        benchmarks = {**_read_benchmarks(FolderCheck(shared, None)), **benchmarks}
        imports |= compute_import_digests(shared)
    paths = folder.list_run_files()
    checked = [check_run(check, path, benchmarks, imports) for path in paths]
    runs = [run for run in checked if run is not None]
    check_ids(check, runs)
    check_answers_counted_once(check, runs)
    records = {run.path for run in runs}
    for path in folder.list_artifact_files():
        record = folder.root / "runs" / path.relative_to(folder.root / "artifacts")
        if record.with_suffix(".json") not in records:
            check.add(path, "", "belongs to no run in runs/")
    check_reports(check, runs)
    for path, trial in check.read_records(folder.trials, GuidelinesTrial):
        for number, run in enumerate(trial.runs):
            homes = {folder, check.home}
            if not any(home.get_run_file(run.model, run.run_id).exists() for home in homes):
                reason = f"{run.run_id} is not a run of {run.model}"
                check.add(path, f"runs.{number}.run_id", reason)
    check_suites(check, benchmarks)
    check_sessions(check)
    check_audits(check, runs)
    check_comparisons(check)
    for files, model in ((folder.datasets, DatasetVersion), (folder.opinions, SessionOpinions)):
        for _ in check.read_records(files, model):
            pass  # members of a dataset may change later
    check_remains(check)
    check_strays(check)
    for former, present in list_former_folders(folder):
        reason = f"has a name that Windows refuses: {_MOVE} moves it to {present.name}"
        check.add(former, "", reason)
    return check.problems


def check_remains(check: FolderCheck) -> None:
    """Check that no file of a run or a writer that was killed is left."""
    for path in check.folder.list_journal_files():
        if is_locked(path):
            continue
        try:
            run = read_journal(path).header.run
        except RecordsError as error:
            check.add(path, "", str(error).removeprefix(f"{path}: "))
        else:
            how = f"resume it with `leaderboard run --resume {run.short_id}`"
            check.add(path, "", f"a run that did not end; {how}, or delete this file")
    reason = "has lines that `leaderboard check --repair` set aside; delete it if nobody needs them"
    for path in check.folder.list_damaged_files():
        check.add(path, "", reason)
    for path in find_leftovers(check.folder):
        kind = path.relative_to(check.folder.root).parts[0]
        remedy = "resuming its run removes it, or " if kind in {"runs", "artifacts"} else ""
        check.add(path, "", f"left by a writer that was killed; {remedy}delete it")


def check_strays(check: FolderCheck) -> None:
    """Check that the folders of records have no file that nothing reads."""
    folder = check.folder
    paths = {
        *(*folder.list_run_files(), *folder.list_journal_files(), *folder.list_damaged_files()),
        *(*folder.list_artifact_files(), *folder.list_report_files()),
    }
    places = {
        "runs": "runs/<provider>/<model>/<run id>.json",
        "artifacts": "artifacts/<provider>/<model>/<run id>.zip",
        "reports": "reports/<provider>/<model>/<run>_<date>.md",
    }
    name = ""
    for files in (
        *(folder.benchmarks, folder.suites, folder.trials, folder.sessions, folder.labels),
        *(folder.audits, folder.comparisons, folder.judgements, folder.datasets, folder.opinions),
    ):
        kind, name = files.folder.name, files.field or name  # a log has the name of its record
        place = f"{kind}/<{name}>{files.suffix}"
        places[kind] = f"{places[kind]} or {place}" if kind in places else place
        paths |= {*files.list_files()}
    for kind, place in places.items():
        for path in sorted((folder.root / kind).rglob("*")):
            hidden = any(part.startswith(".") for part in path.relative_to(folder.root).parts)
            if path not in paths and not hidden and not path.is_dir():
                check.add(path, "", f"is read by nothing; such files belong at {place}")
    for path in sorted({*folder.root.glob("[!.]*.json")} - {folder.root / KEYS}):
        check.add(path, "", "is read by nothing in this folder")


def _read_benchmarks(check: FolderCheck) -> dict[str, Benchmark]:
    benchmarks = check.read_records(check.folder.benchmarks, Benchmark)
    return {benchmark.version: benchmark for _, benchmark in benchmarks}


def find_misplaced_demonstrations(folder: DataFolder) -> Iterator[Path]:
    """Yield the demonstration sessions of a data folder that has other records, too.

    Args:
        folder: a published folder, which is checked together with its ``local`` part.
    """
    demonstrations: list[Path] = []
    has_others = False
    for home in (folder, folder.local):
        lists = (home.list_run_files(), home.list_report_files())
        kinds = (home.benchmarks.list_files(), home.trials.list_files())
        has_others |= home.models_file.exists() or any(chain(*lists, *kinds))
        for path in home.sessions.list_files():
            try:
                source = read_record(Session, path).source
            except RecordsError:
                continue  # check_sessions reports it
            if source.kind == "file" and source.importer == DEMO:
                demonstrations.append(path)
            else:
                has_others = True
    if has_others:
        yield from demonstrations


def check_suites(check: FolderCheck, benchmarks: Mapping[str, Benchmark]) -> None:
    """Check that each text of a suite is that of its benchmark version."""
    for path, suite in check.read_records(check.folder.suites, SuiteDescription):
        benchmark = benchmarks.get(suite.version)
        if benchmark is None:
            check.add(path, "version", "no benchmark version is defined under it")
            continue
        for name in sorted(suite.evals.keys() | benchmark.evals.keys()):
            described, defined = suite.evals.get(name), benchmark.evals.get(name)
            if described is None or defined is None:
                reason = "is in only one of this file and the benchmark version"
                check.add(path, f"evals.{name}", reason)
            elif defined.task not in {None, compute_texts_digest(described.task)}:
                reason = "its text is not that of the benchmark version"
                check.add(path, f"evals.{name}.task", reason)


def check_reports(check: FolderCheck, runs: Sequence[CheckedRun]) -> None:
    """Check that the runs of reports exist and agree, and that reports agree about classes."""
    by_place = {(run.slug, run.run_id): run for run in runs}
    classed: dict[tuple[str, str, int], tuple[FailureClass, Path]] = {}
    for path in check.folder.list_report_files():
        report = check.read(path, read_report)
        if report is None:
            continue
        check.check_place(path, "run and date", path.with_name(build_report_name(report)))
        run = by_place.get((get_model_slug(path), report.run))
        if run is None:
            reason = f"{report.run} is not a run of {get_model_slug(path)}"
            check.add(path, "run", reason)
        else:
            _check_report(check, path, report, run)
            _check_classes(check, path, report, run, classed)


def _check_classes(
    check: FolderCheck,
    path: Path,
    report: Report,
    run: CheckedRun,
    classed: dict[tuple[str, str, int], tuple[FailureClass, Path]],
) -> None:
    """Check that no earlier report gives an attempt another class.

    The classes of ``report`` are added to ``classed``.
    """
    single = {failure.place for failure in report.failures}
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
                check.add(path, f"{_name_failure(failure)}.class", reason)


def _check_report(check: FolderCheck, path: Path, report: Report, run: CheckedRun) -> None:
    for name in ("planned", "passed", "benchmark_version", "experiment"):
        stated, true = getattr(report, name), getattr(run, name)
        if stated is not None and stated != true:
            check.add(path, name, f"is {stated}, the run has {true}")
    failed = {name for name, _ in run.failed}
    for failure in report.failures:
        if failure.eval not in failed or (failure.sample and failure.place not in run.failed):
            check.add(path, _name_failure(failure), f"{failure.eval} did not fail in the run")
        # A report that others published may have failures to which they gave no class.
        if failure.failure_class is None and not report.draft and report.source is None:
            reason = f"{failure.eval} has no class: give it one, or set draft: true"
            check.add(path, f"{_name_failure(failure)}.class", reason)
    still = {*run.failed, *((name, None) for name in failed)}
    for number, failure in enumerate(report.mended):
        if failure.place in still:
            check.add(path, f"mended.{number}", f"{failure.eval} still fails in the run")
    if missing := sorted(failed - {failure.eval for failure in report.failures}):
        check.add(path, "failures", f"not listed: {', '.join(missing)}")


def _name_failure(failure: ClassedFailure) -> str:
    """Return the place of a failure in a report, in the form of `records.files.problems`."""
    sample = f" sample {failure.sample}" if failure.sample else ""
    return f"failures[{failure.eval}{sample}]"


_RAW = (
    "a raw session among the published ones, whose secrets nobody took out: "
    "`leaderboard session publish --undo` moves it to data/local/sessions; the history of git "
    "keeps it until it is rewritten"
)


def check_sessions(check: FolderCheck) -> None:
    """Check sessions and their label logs. No published session may be raw."""
    folder, home = check.folder, check.home
    local_runs = {path.stem for path in folder.local.list_run_files()}
    for path, session in check.read_records(check.folder.sessions, Session):
        if check.shared is None and is_raw(session, local_runs):
            check.add(path, "source_digest", _RAW)
    for path in folder.labels.list_files():
        events = _read_checked_events(check, path, LabelEvent)
        for number, event in enumerate(events, 1):
            if not event.is_known:
                reason = f"{event.field} is no label that this program knows: it changes nothing"
                check.add(path, f"line {number}.field", reason)
            if not event.has_known_way:
                reason = f"{event.via} is no way that this program knows: it counts as no person's"
                check.add(path, f"line {number}.via", reason)
        session_id = path.name.removesuffix(LABELS)
        if not home.get_session_file(session_id).exists():
            check.add(path, "", "there is no session of this id")
        elif home.get_label_file(session_id) != path:
            reason = f"is not read: {home.get_label_file(session_id)} is the log of the session"
            check.add(path, "", reason)


def check_audits(check: FolderCheck, runs: Sequence[CheckedRun]) -> None:
    """Check that the sessions and the runs of audits exist, and that the runs fit the version."""
    home = check.home
    by_id = {run.run_id: run for run in runs}
    elsewhere = {path.stem for path in home.list_run_files()} if check.shared else set[str]()
    for path, audit in check.read_records(check.folder.audits, Audit):
        for run_id in audit.runs:
            run = by_id.get(run_id)
            if run is None and run_id not in elsewhere:
                check.add(path, "runs", f"{run_id} is no run")
            elif run is not None and run.benchmark_version != audit.benchmark_version:
                reason = f"{run_id} is of another version, {run.benchmark_version}"
                check.add(path, "runs", reason)
        for number, item in enumerate(audit.items):
            if not home.get_session_file(item.session).exists():
                check.add(path, f"items.{number}.session", "there is no such session")


def check_comparisons(check: FolderCheck) -> None:
    """Check comparisons, and that each judgement is about a pair of its comparison."""
    pairs: dict[Path, set[tuple[str, str, str]]] = {}
    for _, comparison in check.read_records(check.folder.comparisons, ModelComparison):
        slugs = [model.slug for model in comparison.models]
        pairs[check.folder.judgements.get_file(comparison.comparison_id)] = {
            (item.session, first, second)
            for item in comparison.items
            for first, second in combinations(slugs, 2)
        }
    for path in check.folder.judgements.list_files():
        events = _read_checked_events(check, path, ComparisonJudgement)
        if path not in pairs:
            check.add(path, "", "there is no comparison of this id")
            continue
        for number, event in enumerate(events, 1):
            if event.pair not in pairs[path]:
                reason = "is of no pair of the comparison"
                check.add(path, f"line {number}", reason)


def _read_checked_events(
    check: FolderCheck, path: Path, model: type[AnyEvent]
) -> Sequence[AnyEvent]:
    """Return an event for each line of a log, in the order of the lines, and check their links.

    Each link must lead to an event, and no two events may have the same id.
    """
    events = check.read(path, partial(read_event_lines, model)) or ()
    by_id: dict[str, LogEvent] = {}
    for number, event in enumerate(events, 1):
        if by_id.setdefault(event.id, event) != event:
            check.add(path, f"line {number}.id", f"another event has the id {event.id}, too")
    for number, event in enumerate(events, 1):
        for field, identity in event.links:
            if identity not in by_id:
                reason = f"there is no event {identity} in this log"
                check.add(path, f"line {number}.{field}", reason)
    return events
