"""The classes and notes that a person gives to the failures of a report; each is saved at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from records.errors import MissingRecordError
from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure, Report
from records.text.visible import make_one_line
from runner.reports.evidence import FailedAttempt
from runner.reports.write import change_entries


@dataclass(frozen=True, slots=True)
class FailureToClass:
    """An entry of a report, with the attempts that failed."""

    entry: ClassedFailure
    attempts: Sequence[FailedAttempt]
    """At least one attempt: the entry's sample, or all failed samples of its eval if the entry has
    none."""

    @property
    def place(self) -> tuple[str, int | None]:
        """The eval and the sample, which identify the entry."""
        return self.entry.eval, self.entry.sample


def list_failures_to_class(
    report: Report, failures: Sequence[FailedAttempt]
) -> list[FailureToClass]:
    """Return the entries of ``report`` in its order, each with its attempts in ``failures``.

    Entries without such attempts are left out.
    """
    single = {(entry.eval, entry.sample) for entry in report.failures if entry.sample}
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
    for entry in change_entries(path, changes, lambda entry: (entry.eval, entry.sample) == place):
        return entry
    raise MissingRecordError(f"{path}: has no failure {place[0]} any more")
