"""Findings of `leaderboard check`: every file in a data folder, alone and against the others."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Final, TypeVar

from records import journal
from records.archived import find_contradiction
from records.artifacts import Archive
from records.benchmark import Benchmark, digest_of_texts
from records.carried_checks import find_carried_problems
from records.carrying import AskedAnswer, list_carried_answers
from records.comparison import ComparisonJudgement
from records.demonstration import misplaced_demonstrations
from records.errors import InvalidRecordError, MissingRecordError, RecordsError
from records.failure_classes import FailureClass
from records.folder import KEYS, LABELS, DataFolder
from records.labels import LabelEvent
from records.leftovers import left_over
from records.log_checks import find_broken_links, find_unknown_words
from records.reader import (
    duplicate_keys,
    parse_judgement_lines,
    parse_label_lines,
    parse_run,
    read_audit,
    read_benchmark,
    read_bytes,
    read_comparison,
    read_dataset,
    read_models,
    read_opinions,
    read_registry,
    read_report,
    read_session,
    read_suite,
    read_trial,
)
from records.report import ClassedFailure, Report, report_name, slug_of_report
from records.run import Attempt, Executed, Imported, Outcome, Run
from records.session import is_raw
from records.totals import totals

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend."""

    path: Path
    field: str
    """A dotted path, or empty for the whole file."""
    reason: str

    def __str__(self) -> str:
        place = f"{self.path}: {self.field}" if self.field else str(self.path)
        return f"{place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class _Summary:
    """What the checks across files need of a run: never the whole run, of which there are many."""

    path: Path
    run_id: str
    slug: str
    benchmark_version: str
    experiment: str
    planned: int
    passed: int
    failed: frozenset[tuple[str, int]]
    """Attempts that failed."""
    is_withdrawn: bool
    carried: frozenset[AskedAnswer]
    """Answers that other runs asked for."""


def check_all(folder: DataFolder) -> list[Problem]:
    """Return everything wrong in ``folder`` and in its development results, if it has any."""
    wrong = folder.misfit()
    if wrong is not None:
        return [Problem(folder.root, "", wrong)]
    problems = check(folder)
    for path in misplaced_demonstrations(folder):
        reason = "is a demonstration session: delete it with its labels, docs/demo has the set"
        problems.append(Problem(path, "source.importer", reason))
    if folder.local.root.is_dir():
        problems += check(folder.local, shared=folder)
        published = {path.name: path for path in folder.run_files()}
        for path in folder.local.run_files():
            if path.name in published:
                reason = f"{path.stem} is also at {published[path.name]}"
                problems.append(Problem(path, "run_id", reason))
    return problems


def check(folder: DataFolder, *, shared: DataFolder | None = None) -> list[Problem]:
    """Return everything wrong in ``folder``, in the order of its files; nothing wrong is empty.

    Args:
        folder: the folder to look at; its ``local`` part is a folder of its own.
        shared: where benchmark versions may be defined and imports kept, too: the published folder,
            for a local one.
    """
    problems: list[Problem] = []
    _check_registry(folder, shared, problems)
    benchmarks, imports = _benchmarks(folder, problems), _import_digests(folder)
    if shared is not None:
        benchmarks = {**_benchmarks(shared, []), **benchmarks}
        imports |= _import_digests(shared)
    summaries = [
        summary
        for path in folder.run_files()
        if (summary := _check_run(folder, shared, path, benchmarks, imports, problems)) is not None
    ]
    problems += _identity_problems(summaries)
    problems += _twice_counted(summaries)
    _check_archives(folder, {summary.path for summary in summaries}, problems)
    _check_reports(folder, summaries, problems)
    _check_trials(folder, shared, problems)
    _check_suites(folder, benchmarks, problems)
    _check_sessions(folder, shared, problems)
    _check_audits(folder, summaries, shared, problems)
    _check_comparisons(folder, problems)
    _check_datasets(folder, problems)
    _check_opinions(folder, problems)
    problems += [_unended(path) for path in folder.journal_files() if not journal.in_use(path)]
    problems += [_set_aside(path) for path in folder.damaged_files()]
    problems += [_left_over(path) for path in left_over(folder)]
    problems += _strays(folder)
    return problems


def _strays(folder: DataFolder) -> Iterator[Problem]:
    """Yield files that nothing reads where they lie, though they look like records."""
    belong: dict[str, tuple[Iterable[Path], str]] = {
        "benchmarks": (folder.benchmark_files(), "benchmarks/<version>.json"),
        "runs": (
            [*folder.run_files(), *folder.journal_files(), *folder.damaged_files()],
            "runs/<provider>/<model>/<run id>.json",
        ),
        "artifacts": (folder.artifact_files(), "artifacts/<provider>/<model>/<run id>.zip"),
        "reports": (folder.report_files(), "reports/<provider>/<model>/<run>_<date>.md"),
        "suites": (folder.suite_files(), "suites/<benchmark version>.json"),
        "trials": (folder.trial_files(), "trials/<id>.json"),
        "sessions": (
            [*folder.published_session_files(), *folder.published_label_files()],
            "sessions/<id>.json, its labels at sessions/<id>.labels.jsonl",
        ),
        "audits": (folder.audit_files(), "audits/<benchmark version>-<seed>.json"),
        "comparisons": (
            [*folder.comparison_files(), *folder.judgement_files()],
            "comparisons/<id>.json, judgements at comparisons/<id>.judgements.jsonl",
        ),
        "datasets": (folder.dataset_files(), "datasets/<name>.json"),
        "opinions": (folder.opinions_files(), "opinions/<id>.json"),
    }
    for kind, (known, pattern) in belong.items():
        read = set(known)
        for path in sorted((folder.root / kind).rglob("*")):
            hidden = any(part.startswith(".") for part in path.relative_to(folder.root).parts)
            if path not in read and not hidden and not path.is_dir():
                yield Problem(path, "", f"is read by nothing; these belong at {pattern}")
    for path in sorted({*folder.root.glob("[!.]*.json")} - {folder.root / KEYS}):
        yield Problem(path, "", "is read by nothing where it lies")


def _try(problems: list[Problem], path: Path, read: Callable[[Path], Found]) -> Found | None:
    try:
        return read(path)
    except InvalidRecordError as error:
        problems.append(Problem(path, error.field, error.reason))
    except RecordsError as error:
        problems.append(Problem(path, "", str(error).removeprefix(f"{path}: ")))
    return None


def _check_registry(folder: DataFolder, shared: DataFolder | None, problems: list[Problem]) -> None:
    if not folder.models_file.exists():
        return
    own = _try(problems, folder.models_file, read_registry)
    if own is not None and shared is not None:
        _try(problems, folder.models_file, lambda _: read_models(shared))


def _benchmarks(folder: DataFolder, problems: list[Problem]) -> dict[str, Benchmark]:
    found: dict[str, Benchmark] = {}
    for path in folder.benchmark_files():
        benchmark = _try(problems, path, read_benchmark)
        if benchmark is None:
            continue
        found[benchmark.version] = benchmark
        problems += _misplaced(path, "version", folder.benchmark_file(benchmark.version))
        problems += _repeated_keys(path, read_bytes(path))
    return found


def _check_run(  # noqa: PLR0913, PLR0917 - the run, and what it is compared with
    folder: DataFolder,
    shared: DataFolder | None,
    path: Path,
    benchmarks: dict[str, Benchmark],
    imports: frozenset[str],
    problems: list[Problem],
) -> _Summary | None:
    data = _try(problems, path, read_bytes)
    run = None if data is None else _try(problems, path, lambda place: parse_run(place, data))
    if data is None or run is None:
        return None
    problems += _misplaced(path, "run_id", folder.run_file(run.model.slug, run.run_id))
    problems += _repeated_keys(path, data)
    problems += _benchmark_problems(path, run, benchmarks)
    problems += _total_problems(path, run)
    problems += _time_problems(path, run)
    problems += _source_problems(path, run, imports)
    if run.lacks_reason and shared is None:
        reason = (
            f"is missing: files of the program differed from commit {run.changed_commit}, so the "
            "run needs a reason to be published"
        )
        problems.append(Problem(path, "published_because", reason))
    homes = [folder, *([shared] if shared else [])]
    for field, reason in find_carried_problems(homes, run, is_published=shared is None):
        problems.append(Problem(path, field, reason))
    # The archive of a run that has not finished may hold attempts that its record lacks yet.
    if not folder.journal_file(run.model.slug, run.run_id).exists():
        problems += _artifact_problems(folder, path, run)
    return _summary(path, run)


def _summary(path: Path, run: Run) -> _Summary:
    return _Summary(
        path=path,
        run_id=run.run_id,
        slug=run.model.slug,
        benchmark_version=run.benchmark_version,
        experiment=run.experiment.name,
        planned=len(run.planned) * run.samples,
        passed=sum(a.outcome is Outcome.PASSED for a in run.attempts),
        failed=frozenset((a.eval, a.sample) for a in run.attempts if a.outcome is Outcome.FAILED),
        is_withdrawn=run.withdrawn is not None,
        carried=list_carried_answers(run),
    )


def _misplaced(path: Path, field: str, expected: Path) -> Iterator[Problem]:
    if path != expected:
        yield Problem(path, field, f"belongs at {expected} by its content")


def _repeated_keys(path: Path, data: bytes) -> Iterator[Problem]:
    for name in duplicate_keys(data):
        yield Problem(path, name, "stands twice in one object")


def _benchmark_problems(
    path: Path, run: Run, benchmarks: dict[str, Benchmark]
) -> Iterator[Problem]:
    benchmark = benchmarks.get(run.benchmark_version)
    if benchmark is None:
        reason = f"{run.benchmark_version} is not defined in benchmarks/"
        yield Problem(path, "benchmark_version", reason)
    elif strays := sorted(set(run.planned) - benchmark.evals.keys()):
        names = ", ".join(strays[:3])
        yield Problem(path, "planned", f"not in {run.benchmark_version}: {names}")


def _total_problems(path: Path, run: Run) -> Iterator[Problem]:
    expected = totals(run.attempts)
    for name in type(expected).model_fields:
        stated, counted = getattr(run.totals, name), getattr(expected, name)
        if stated != counted:
            yield Problem(path, f"totals.{name}", f"is {stated}, the attempts sum to {counted}")


def _time_problems(path: Path, run: Run) -> Iterator[Problem]:
    """Yield times that cannot be: nothing ends before it begins."""
    began, ended = run.started_at, run.finished_at
    if began is not None and began.date() != run.date:
        yield Problem(path, "date", f"is {run.date}, the run began at {began.isoformat()}")
    if began is not None and ended is not None and ended < began:
        yield Problem(path, "finished_at", "lies before started_at")
    for number, undone in enumerate(run.undone_withdrawals):
        if undone.at is not None and undone.undone_at < undone.at:
            yield Problem(path, f"undone_withdrawals.{number}.undone_at", "lies before at")
    for attempt in run.attempts:
        judged = attempt.graded_at
        if judged is None:
            continue
        if began is not None and judged < began:
            yield Problem(
                path, f"{_name_attempt(attempt)}.graded_at", "lies before the run's started_at"
            )
        if ended is not None and judged > ended and not attempt.earlier_verdicts:
            yield Problem(
                path, f"{_name_attempt(attempt)}.graded_at", "lies after the run's finished_at"
            )


def _name_attempt(attempt: Attempt) -> str:
    """Name an attempt of a record as `records.problems` does."""
    return f"attempts[{attempt.eval} sample {attempt.sample}]"


def _name_failure(failure: ClassedFailure) -> str:
    """Name a failure of a report likewise."""
    sample = f" sample {failure.sample}" if failure.sample else ""
    return f"failures[{failure.eval}{sample}]"


def _source_problems(path: Path, run: Run, imports: frozenset[str]) -> Iterator[Problem]:
    if isinstance(run.provenance, Imported) and run.provenance.source_digest not in imports:
        yield Problem(path, "provenance.source_digest", "no file in imports/ has it")


def _import_digests(folder: DataFolder) -> frozenset[str]:
    kept = [path for path in folder.imports.glob("*") if path.is_file() and not path.is_symlink()]
    return frozenset(sha256(read_bytes(path)).hexdigest() for path in kept)


def _artifact_problems(folder: DataFolder, path: Path, run: Run) -> Iterator[Problem]:
    """Compare the digests in a record with the archive they speak of."""
    if isinstance(run.provenance, Executed):
        for attempt in run.attempts:
            if attempt.key is not None and attempt.artifact is None:
                reason = "is null, yet the attempt was graded: nothing shows what was"
                yield Problem(path, f"{_name_attempt(attempt)}.artifact", reason)
    promised = [attempt for attempt in run.attempts if attempt.artifact is not None]
    if not promised:
        return
    archive_path = folder.artifact_file(run.model.slug, run.run_id)
    try:
        with Archive(archive_path) as archive:
            for attempt in promised:
                kept = archive.read(attempt.eval, attempt.sample)
                if wrong := find_contradiction(attempt, kept):
                    name = f"{attempt.eval}/{attempt.sample}"
                    yield Problem(archive_path, name, f"{wrong} {path.name} recorded")
    except InvalidRecordError as error:
        yield Problem(error.path, error.field, error.reason)
    except MissingRecordError as error:
        yield Problem(path, "attempts", f"artifact missing: {error}")


def _identity_problems(summaries: list[_Summary]) -> Iterator[Problem]:
    owners: dict[str, list[_Summary]] = defaultdict(list)
    beginnings: dict[tuple[str, str], list[_Summary]] = defaultdict(list)
    for summary in summaries:
        owners[summary.run_id].append(summary)
        beginnings[summary.slug, summary.run_id[:8]].append(summary)
    for run_id, same in owners.items():
        for summary in same[1:]:
            yield Problem(summary.path, "run_id", f"{run_id} is also at {same[0].path}")
    for (_, beginning), alike in beginnings.items():
        for summary in alike[1:]:
            if summary.run_id != alike[0].run_id:
                reason = f"begins with {beginning} like {alike[0].run_id}"
                yield Problem(summary.path, "run_id", reason)


def _twice_counted(summaries: list[_Summary]) -> Iterator[Problem]:
    """Yield runs with an answer that another run of their version has: scores count it once."""
    counted = [summary for summary in summaries if not summary.is_withdrawn]
    version_of = {summary.run_id: summary.benchmark_version for summary in counted}
    first: dict[tuple[str, AskedAnswer], str] = {}
    for summary in counted:
        own = summary.benchmark_version
        for answer in sorted(summary.carried):
            other = first.setdefault((own, answer), summary.run_id)
            if version_of.get(answer.run) == own:
                other = answer.run
            if other != summary.run_id:
                reason = (
                    f"the answer to {answer.eval} sample {answer.sample} is in run {other}, too, "
                    f"of the same version {own}: withdraw one of them"
                )
                yield Problem(summary.path, "attempts", reason)
                break


def _check_archives(folder: DataFolder, runs: set[Path], problems: list[Problem]) -> None:
    for path in folder.artifact_files():
        record = folder.root / "runs" / path.relative_to(folder.root / "artifacts")
        if record.with_suffix(".json") not in runs:
            problems.append(Problem(path, "", "belongs to no run in runs/"))


def _check_reports(folder: DataFolder, summaries: list[_Summary], problems: list[Problem]) -> None:
    known = {(summary.slug, summary.run_id): summary for summary in summaries}
    classed: dict[tuple[str, str, int], tuple[FailureClass, Path]] = {}
    for path in folder.report_files():
        report = _try(problems, path, read_report)
        if report is None:
            continue
        problems += _misplaced(path, "run and date", path.with_name(report_name(report)))
        summary = known.get((slug_of_report(path), report.run))
        if summary is None:
            reason = f"{report.run} is not a run of {slug_of_report(path)}"
            problems.append(Problem(path, "run", reason))
        else:
            problems += _report_problems(path, report, summary)
            problems += _contradictions(path, report, summary, classed)


def _contradictions(
    path: Path,
    report: Report,
    run: _Summary,
    classed: dict[tuple[str, str, int], tuple[FailureClass, Path]],
) -> Iterator[Problem]:
    """Yield attempts that an earlier report gives another class; add this report's to them."""
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
            said, where = classed.setdefault((run.run_id, name, sample), (mine, path))
            if said is not mine:
                reason = f"{name} sample {sample} is {said} in {where}, and {mine} here"
                yield Problem(path, f"{_name_failure(failure)}.class", reason)


def _report_problems(path: Path, report: Report, run: _Summary) -> Iterator[Problem]:
    for name in ("planned", "passed", "benchmark_version", "experiment"):
        stated, true = getattr(report, name), getattr(run, name)
        if stated is not None and stated != true:
            yield Problem(path, name, f"is {stated}, the run has {true}")
    failed = {name for name, _ in run.failed}
    for failure in report.failures:
        place = (failure.eval, failure.sample)
        if failure.eval not in failed or (failure.sample and place not in run.failed):
            yield Problem(path, _name_failure(failure), f"{failure.eval} did not fail in the run")
        # Reports of others keep the failures without a class that their publishers left so.
        if failure.failure_class is None and not report.draft and report.source is None:
            reason = f"{failure.eval} has no class: give it one, or set draft: true"
            yield Problem(path, f"{_name_failure(failure)}.class", reason)
    still = {*run.failed, *((name, None) for name in failed)}
    for number, failure in enumerate(report.mended):
        if (failure.eval, failure.sample) in still:
            yield Problem(path, f"mended.{number}", f"{failure.eval} still fails in the run")
    if missing := sorted(failed - {failure.eval for failure in report.failures}):
        yield Problem(path, "failures", f"not listed: {', '.join(missing)}")


def _check_trials(folder: DataFolder, shared: DataFolder | None, problems: list[Problem]) -> None:
    folders = [folder, *([shared] if shared else [])]
    for path in folder.trial_files():
        trial = _try(problems, path, read_trial)
        if trial is None:
            continue
        problems += _misplaced(path, "trial_id", folder.trial_file(trial.trial_id))
        problems += _repeated_keys(path, read_bytes(path))
        for number, one in enumerate(trial.runs):
            if not any(place.run_file(one.model, one.run_id).exists() for place in folders):
                reason = f"{one.run_id} is not a run of {one.model}"
                problems.append(Problem(path, f"runs.{number}.run_id", reason))


def _check_suites(
    folder: DataFolder, benchmarks: Mapping[str, Benchmark], problems: list[Problem]
) -> None:
    """See that the texts of suites that are kept elsewhere are those of their versions."""
    for path in folder.suite_files():
        suite = _try(problems, path, read_suite)
        if suite is None:
            continue
        problems += _misplaced(path, "version", folder.suite_file(suite.version))
        problems += _repeated_keys(path, read_bytes(path))
        benchmark = benchmarks.get(suite.version)
        if benchmark is None:
            problems.append(Problem(path, "version", "no benchmark version is defined under it"))
            continue
        for name in sorted(suite.evals.keys() | benchmark.evals.keys()):
            described, defined = suite.evals.get(name), benchmark.evals.get(name)
            if described is None or defined is None:
                problems.append(
                    Problem(
                        path,
                        f"evals.{name}",
                        "stands in only one of this file and the benchmark version",
                    )
                )
            elif defined.task not in {None, digest_of_texts(described.task)}:
                reason = "its text is not that of the benchmark version"
                problems.append(Problem(path, f"evals.{name}.task", reason))


def _check_sessions(folder: DataFolder, shared: DataFolder | None, problems: list[Problem]) -> None:
    local_runs = {path.stem for path in folder.local.run_files()}
    for path in folder.published_session_files():
        session = _try(problems, path, read_session)
        if session is not None:
            problems += _misplaced(path, "id", folder.published_session_file(session.id))
            problems += _repeated_keys(path, read_bytes(path))
            if shared is None and is_raw(session, local_runs):
                problems.append(Problem(path, "source_digest", _RAW))
    for path in folder.published_label_files():
        events = _try(problems, path, _label_lines)
        faults = [*find_broken_links(events or ()), *find_unknown_words(events or ())]
        problems += [Problem(path, place, reason) for place, reason in faults]
        problems += _misplaced_log(folder, shared, path)


_RAW: Final = (
    "a raw session among the published ones, whose secrets nobody took out: `leaderboard migrate` "
    "moves it to data/local/sessions; the history of git keeps it until that is rewritten"
)


def _misplaced_log(folder: DataFolder, shared: DataFolder | None, path: Path) -> Iterator[Problem]:
    """Yield a label log that nothing reads, for there is no session, or another log is read."""
    home = shared or folder
    session_id = path.name.removesuffix(LABELS)
    if not home.session_file(session_id).exists():
        yield Problem(path, "", "there is no session of this id")
    elif home.label_file(session_id) != path:
        reason = f"is not read: {home.label_file(session_id)} is the log of the session"
        yield Problem(path, "", reason)


def _label_lines(path: Path) -> list[LabelEvent]:
    return parse_label_lines(path, read_bytes(path))


def _judgement_lines(path: Path) -> list[ComparisonJudgement]:
    return parse_judgement_lines(path, read_bytes(path))


def _check_audits(
    folder: DataFolder,
    summaries: list[_Summary],
    shared: DataFolder | None,
    problems: list[Problem],
) -> None:
    """Compare audits with the runs they drew from; sessions stand in the published folder alone."""
    known = {one.run_id: one for one in summaries}
    elsewhere = frozenset(path.stem for path in shared.run_files()) if shared else frozenset[str]()
    home = shared or folder
    for path in folder.audit_files():
        audit = _try(problems, path, read_audit)
        if audit is None:
            continue
        problems += _misplaced(path, "audit_id", folder.audit_file(audit.audit_id))
        problems += _repeated_keys(path, read_bytes(path))
        for run_id in audit.runs:
            run = known.get(run_id)
            if run is None and run_id not in elsewhere:
                problems.append(Problem(path, "runs", f"{run_id} is no run"))
            elif run is not None and run.benchmark_version != audit.benchmark_version:
                reason = f"{run_id} is of another version, {run.benchmark_version}"
                problems.append(Problem(path, "runs", reason))
        for number, item in enumerate(audit.items):
            if not home.session_file(item.session).exists():
                problems.append(
                    Problem(path, f"items.{number}.session", "there is no such session")
                )


def _check_datasets(folder: DataFolder, problems: list[Problem]) -> None:
    """Look at versions of datasets; a member that changed since is no fault of the version."""
    for path in folder.dataset_files():
        version = _try(problems, path, read_dataset)
        if version is not None:
            problems += _misplaced(path, "name", folder.dataset_file(version.name))
            problems += _repeated_keys(path, read_bytes(path))


def _check_comparisons(folder: DataFolder, problems: list[Problem]) -> None:
    """Look at comparisons; what is judged must be of a comparison, and of a pair of it."""
    pairs: dict[Path, set[tuple[str, str, str]]] = {}
    for path in folder.comparison_files():
        found = _try(problems, path, read_comparison)
        if found is None:
            continue
        problems += _misplaced(path, "comparison_id", folder.comparison_file(found.comparison_id))
        problems += _repeated_keys(path, read_bytes(path))
        slugs = [one.slug for one in found.models]
        pairs[folder.judgement_file(found.comparison_id)] = {
            (item.session, first, second)
            for item in found.items
            for first, second in combinations(slugs, 2)
        }
    for path in folder.judgement_files():
        events = _try(problems, path, _judgement_lines) or []
        problems += [Problem(path, place, reason) for place, reason in find_broken_links(events)]
        if path not in pairs:
            problems.append(Problem(path, "", "there is no comparison of this id"))
            continue
        for number, one in enumerate(events, 1):
            if (one.session, one.first, one.second) not in pairs[path]:
                reason = "is of no pair of the comparison"
                problems.append(Problem(path, f"line {number}", reason))


def _check_opinions(folder: DataFolder, problems: list[Problem]) -> None:
    for path in folder.opinions_files():
        opinions = _try(problems, path, read_opinions)
        if opinions is not None:
            problems += _misplaced(path, "opinions_id", folder.opinions_file(opinions.opinions_id))
            problems += _repeated_keys(path, read_bytes(path))


def _left_over(path: Path) -> Problem:
    reason = "left by a writer that was killed; resuming its run removes it, or delete it"
    return Problem(path, "", reason)


def _set_aside(path: Path) -> Problem:
    reason = "lines that `leaderboard repair` set aside; delete it when nobody needs them"
    return Problem(path, "", reason)


def _unended(path: Path) -> Problem:
    try:
        run = journal.read(path).header.run
    except RecordsError as error:
        return Problem(path, "", str(error).removeprefix(f"{path}: "))
    how = f"resume it with `leaderboard run --resume {run.run_id[:8]}`"
    return Problem(path, "", f"a run that did not end; {how}, or delete this file")
