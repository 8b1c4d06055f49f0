"""Reports on runs: new ones and updates, the classes of failures, and the scores by them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.reader import find_reports, read_report
from records.runs.run_lookup import find_run
from records.shapes.attempt import JUDGED, Attempt, Outcome
from records.shapes.failure_classes import SET_ASIDE, FailureClass
from records.shapes.report import REPORT_VERSION, ClassedFailure, Proposal, Report, encode_report
from records.shapes.run import Run
from records.text.visible import make_one_line
from records.writer import write_atomically
from runner.errors import NotReportableError
from runner.evals.discovery import Suite
from runner.reports.evidence import FailedAttempt, find_patterns, list_failed_attempts
from runner.reports.report_markdown import format_report_body, with_own_part
from runner.suite.mint import make_benchmark


class Subject(NamedTuple):
    """The run of a report, and its data folders."""

    data: DataFolder
    home: DataFolder
    """The part of ``data`` that holds the run: published or local."""
    run: Run
    suite: Suite
    """Today's suite, with the tasks and references."""


class WrittenReport(NamedTuple):
    """A report that was written."""

    path: Path
    report: Report
    failures: Sequence[FailedAttempt]
    is_new: bool
    """True if the run had no report before."""


def find_subject(data: DataFolder, suite: Suite, beginning: str) -> Subject:
    """Return the run whose id starts with ``beginning``, published or local, with its folders.

    A run that has only a journal is returned as it was planned.

    Raises:
        MissingRecordError, AmbiguousRunError: no run has such an id, or several have.
        InvalidRecordError: the record cannot be read.
    """
    stored = find_run(data, beginning)
    return Subject(data, stored.folder, stored.read(), suite)


def write_report(
    subject: Subject, author: str, day: date, *, update: bool = False
) -> WrittenReport:
    """Write the report on ``subject`` to the folder of its model's reports.

    An update of an existing report takes figures and failures from the record. Classes, notes,
    proposals and all text of people stay.

    Args:
        subject: the run of the report.
        author: the person responsible for a new report; an existing report keeps its author.
        day: the day of a new report; an existing report keeps its day.
        update: whether an existing report may be updated.

    Raises:
        NotReportableError: the run has not ended, or there is a report and ``update`` is false.
        InvalidRecordError: the archive, or another report, cannot be read.
    """
    run = subject.run
    if run.status == "running":
        raise NotReportableError(
            f"run {run.run_id} has not ended, and a report could become wrong: "
            f"leaderboard run --resume {run.short_id} goes on with the run"
        )
    existing = next(find_reports(subject.home, run), None)
    if existing is not None and not update:
        raise NotReportableError(
            f"{existing[0]} is the report on this run: "
            f"leaderboard report {run.short_id} --update brings it up to date"
        )
    path, before = existing or (subject.home.get_report_file(*run.key, day), None)
    failures = list_failed_attempts(subject.data, subject.home, run, subject.suite)
    report = _make_report(subject, failures, before, author, day)
    write_atomically(path, encode_report(report).encode())
    return WrittenReport(path, report, failures, is_new=existing is None)


def attach_proposal(path: Path, attempt: Attempt, proposal: Proposal) -> None:
    """Write a proposal into the entry of ``attempt`` in the report at ``path``.

    Raises:
        InvalidRecordError: the report cannot be read, because it was changed.
    """
    change_entries(
        path,
        {"proposal": proposal},
        lambda entry: entry.eval == attempt.eval and entry.sample in {None, attempt.sample},
    )


def change_entries(
    path: Path, changes: Mapping[str, object], is_meant: Callable[[ClassedFailure], bool]
) -> list[ClassedFailure]:
    """Write ``changes`` into the entries that are meant; return these entries.

    Raises:
        InvalidRecordError: the report cannot be read, because it was changed.
    """
    report = read_report(path)
    entries = tuple(
        entry.model_copy(update=changes) if is_meant(entry) else entry for entry in report.failures
    )
    changed = report.model_copy(update={"failures": entries})
    write_atomically(path, encode_report(changed).encode())
    return [entry for entry in entries if is_meant(entry)]


def _make_report(
    subject: Subject,
    failures: Sequence[FailedAttempt],
    before: Report | None,
    author: str,
    day: date,
) -> Report:
    """Return the report with an entry for each failed attempt.

    An entry has the class and note that people gave it before. If ``before`` has one entry for all
    failed samples of an eval, it stays one entry. Entries with a class or note whose attempts no
    longer fail are kept for a list of errata.
    """
    run = subject.run
    listed = (*before.mended, *before.failures) if before else ()
    earlier = {old.place: old for old in listed}
    entry_by_key: dict[tuple[str, int | None], ClassedFailure] = {}
    for failure in failures:
        attempt = failure.attempt
        sample = attempt.sample if run.samples > 1 else None
        key = (attempt.eval, sample)
        if key not in earlier and (attempt.eval, None) in earlier:
            key = (attempt.eval, None)
        entry = earlier.get(key) or ClassedFailure(eval=attempt.eval, sample=sample)
        first_lines = "\n".join(line[:200] for line in failure.message.splitlines()[:3]) or None
        facts = {"step": attempt.failed_step, "message": first_lines}
        entry_by_key.setdefault(key, entry.model_copy(update=facts))
    entries = tuple(entry_by_key.values())
    failing = {entry.place for entry in entries}
    mended = tuple(
        entry
        for entry in listed
        if entry.place not in failing and (entry.failure_class or entry.note)
    )
    # The planned attempts that exercise each section of the guidelines.
    exercised: Counter[str] = Counter()
    for evaluation in subject.suite.evals:
        if evaluation.name in run.planned:
            exercised.update(dict.fromkeys(evaluation.config.guidelines, run.samples))
    planned = run.planned_attempts
    shared_patterns = find_patterns(failures, exercised, planned)
    net_impact = describe_impact(run, entries)
    body = format_report_body(
        run,
        failures,
        shared_patterns,
        net_impact,
        same_suite=make_benchmark(subject.suite).version == run.benchmark_version,
    )
    earlier_fields = {} if before is None else dict(before)
    return Report.model_validate(
        {
            "author": author,
            "date": day,
            "draft": True,
            "patterns": tuple(
                f"{each.claim}: {', '.join(each.examples)}{each.left_out_note}"
                for each in shared_patterns
            ),
            **earlier_fields,
            "schema_version": REPORT_VERSION,
            "run": run.run_id,
            "benchmark_version": run.benchmark_version,
            "experiment": run.experiment.name,
            "planned": planned,
            "passed": run.passed,
            "failures": entries,
            "mended": mended,
            "net_impact": net_impact,
            "text": with_own_part(body, before.text if before else None),
        }
    )


class FailureToClass(NamedTuple):
    """An entry of a report, with the attempts that failed."""

    entry: ClassedFailure
    attempts: Sequence[FailedAttempt]
    """At least one attempt: the entry's sample, or all failed samples of its eval if the entry has
    none."""


def list_failures_to_class(
    report: Report, failures: Sequence[FailedAttempt]
) -> list[FailureToClass]:
    """Return the entries of ``report`` in its order, each with its attempts in ``failures``.

    Entries without such attempts are left out.
    """
    single = {entry.place for entry in report.failures if entry.sample}
    listed: list[FailureToClass] = []
    for entry in report.failures:
        attempts = [
            failure
            for failure in failures
            if failure.attempt.eval == entry.eval
            and (
                failure.attempt.sample == entry.sample
                if entry.sample
                else (entry.eval, failure.attempt.sample) not in single
            )
        ]
        if attempts:
            listed.append(FailureToClass(entry, attempts))
    return listed


def save_class(
    path: Path, place: tuple[str, int | None], failure_class: FailureClass, note: str | None
) -> ClassedFailure:
    """Write a class into the entry at ``place`` of the report at ``path``; return the entry.

    The report is read again first, so that changes made in an editor are kept. The file is replaced
    as a whole.

    Args:
        path: the report's file.
        place: eval and sample of the entry.
        failure_class: the class of the failure.
        note: a line about the failure; None leaves the entry's note as it is.

    Raises:
        InvalidRecordError: the report cannot be read, because it was changed.
        MissingRecordError: the report, or its entry, no longer exists.
    """
    changes: dict[str, object] = {"failure_class": failure_class}
    if note is not None:
        changes["note"] = make_one_line(note.encode("utf-8", "replace").decode())
    for entry in change_entries(path, changes, lambda entry: entry.place == place):
        return entry
    raise MissingRecordError(f"{path}: has no failure {place[0]} any more")


def describe_score(run: Run, aside: Collection[tuple[str, int]] = ()) -> str:
    """Return the score of ``run`` in words, without the attempts in ``aside``.

    It is the share of attempts that passed, as the mean over evals.
    """
    verdicts: defaultdict[str, list[bool]] = defaultdict(list)
    for attempt in run.attempts:
        if attempt.outcome in JUDGED and attempt.place not in aside:
            verdicts[attempt.eval].append(attempt.outcome is Outcome.PASSED)
    passes = list(chain.from_iterable(verdicts.values()))
    share = f"{100 * fmean(map(fmean, verdicts.values())):.1f}%" if verdicts else "no score"
    return f"{sum(passes)} of {len(passes)} ({share})"


def describe_impact(run: Run, failures: Collection[ClassedFailure]) -> str:
    """Return sentences with the raw and the attributed score of ``run``, for its report."""
    raw = describe_score(run)
    # The failed attempts whose class is no fault of the model.
    classes = {failure.place: failure.failure_class for failure in failures}
    failed = [a.place for a in run.attempts if a.outcome is Outcome.FAILED]
    aside = {
        (name, sample)
        for name, sample in failed
        if classes.get((name, sample), classes.get((name, None))) in SET_ASIDE
    }
    unclassed = sum(failure.failure_class is None for failure in failures)
    open_ones = f" {unclassed} of the failures listed have no class yet." if unclassed else ""
    if not aside:
        return f"Raw score: {raw}. No failure is set aside.{open_ones}"
    attributed = describe_score(run, aside)
    return f"Raw score: {raw}. Attributed score, {len(aside)} set aside: {attributed}.{open_ones}"
