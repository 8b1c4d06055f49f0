"""The reports of the desk: their lists, the evidence on their failures, and classes given there."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from leaderboard.reports import MOST_EARLIER
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder, get_model_slug
from records.reader import find_reports, read_report
from records.shapes.attempt import Outcome
from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure, Report
from review.desk.desk import FailureEvidence, ListedReport, OpenReport, Place
from review.errors import ReviewError
from runner.errors import RunnerError
from runner.evals.discovery import discover
from runner.reports import write
from runner.reports.evidence import list_failed_attempts


class DeskReports:
    """The reports of a data folder, published and local."""

    def __init__(self, data: DataFolder, evals_root: Path) -> None:
        """Store the folders; nothing is read before a page needs it."""
        self._data, self._evals = data, evals_root

    def list_reports(self) -> Sequence[ListedReport]:
        """Return all reports, those with open failures first; within both groups the newest first.

        Raises:
            RecordsError: a report cannot be read.
        """
        paths = chain(self._data.list_report_files(), self._data.local.list_report_files())
        lines = sorted(
            (_build_report_line(path, read_report(path)) for path in paths),
            key=lambda line: line.day,
            reverse=True,
        )
        return sorted(lines, key=lambda line: not line.open)

    def read(self, run_id: str) -> OpenReport:
        """Return the report on a run, with the evidence on its failures.

        Raises:
            RecordsError: there is no such run, it has no report, or one of them cannot be read.
            ReviewError: the suite is invalid.
        """
        subject, path, report = self._find(run_id)
        try:
            failures = list_failed_attempts(self._data, subject.home, subject.run, subject.suite)
        except RunnerError as error:
            raise ReviewError(str(error)) from error
        classed = write.list_failures_to_class(report, failures)
        evidence = [
            FailureEvidence(
                entry=failure.entry,
                samples=[failed_sample.attempt.sample for failed_sample in failure.attempts],
                failed_tests=[
                    test.title
                    for test in first.attempt.tests or ()
                    if test.outcome is Outcome.FAILED
                ],
                message=first.message,
                task=first.task,
                reference=first.reference,
                answer=first.answer,
                earlier=[
                    (earlier.slug, earlier.failure_class, earlier.note)
                    for earlier in first.earlier[:MOST_EARLIER]
                ],
            )
            for failure in classed
            for first in failure.attempts[:1]
        ]
        return OpenReport(_build_report_line(path, report), evidence)

    def save(
        self, run_id: str, place: Place, failure_class: FailureClass, note: str
    ) -> ClassedFailure:
        """Write a class and a note into an entry of the report on a run; return the entry.

        If all failures have a class then, the text of the report is updated.

        Raises:
            RecordsError, ReviewError: as for `read`.
        """
        subject, path, _ = self._find(run_id)
        saved = write.save_class(path, place, failure_class, note)
        report = read_report(path)
        if all(entry.failure_class is not None for entry in report.failures):
            try:
                write.write_report(subject, report.author, datetime.now(UTC).date(), update=True)
            except RunnerError as error:
                raise ReviewError(str(error)) from error
        return saved

    def _find(self, run_id: str) -> tuple[write.Subject, Path, Report]:
        try:
            subject = write.find_subject(self._data, discover(self._evals), run_id)
        except RunnerError as error:
            raise ReviewError(str(error)) from error
        filed = next(find_reports(subject.home, subject.run), None)
        if filed is None:
            raise MissingRecordError(
                f"run {run_id[:8]} has no report yet: leaderboard report {run_id[:8]} writes one"
            )
        return subject, *filed


def _build_report_line(path: Path, report: Report) -> ListedReport:
    return ListedReport(
        run_id=report.run,
        model=get_model_slug(path),
        experiment=report.experiment or "experiment unknown",
        day=report.date.isoformat(),
        path=path,
        is_draft=report.draft,
        failures=len(report.failures),
        open=sum(entry.failure_class is None for entry in report.failures),
    )
