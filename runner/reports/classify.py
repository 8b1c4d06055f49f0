"""Classes and notes that a person gives to failures of a report, each saved at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from records.errors import MissingRecordError
from records.reader import read_report
from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure, Report, report_text
from records.text.visible import one_line
from records.writer import write_atomically
from runner.reports.evidence import FailedAttempt


@dataclass(frozen=True, slots=True)
class FailureToClass:
    """An entry of a report, with its failed attempts."""

    entry: ClassedFailure
    attempts: Sequence[FailedAttempt]
    """At least one attempt: the entry's sample, or all failed samples of its eval."""

    @property
    def place(self) -> tuple[str, int | None]:
        """The eval and the sample, which identify the entry."""
        return self.entry.eval, self.entry.sample


def failures_to_class(report: Report, failures: Sequence[FailedAttempt]) -> list[FailureToClass]:
    """Return the entries of ``report`` in its order, with the evidence on each failure.

    Entries whose attempts the run no longer has are left out.
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

    The report is read anew, so that changes by an editor meanwhile stay, and replaced as a whole.

    Args:
        path: the report's file.
        place: eval and sample of the entry.
        failure_class: the party at fault.
        note: a line about it; None leaves the entry's note as it is.

    Raises:
        InvalidRecordError: the report was changed meanwhile, and cannot be read.
        MissingRecordError: the report, or the entry in it, is gone.
    """
    report = read_report(path)
    changes: dict[str, object] = {"failure_class": failure_class}
    if note is not None:
        changes["note"] = one_line(note.encode("utf-8", "replace").decode())
    entries = list(report.failures)
    for number, entry in enumerate(entries):
        if (entry.eval, entry.sample) == place:
            entries[number] = entry.model_copy(update=changes)
            changed = report.model_copy(update={"failures": tuple(entries)})
            write_atomically(path, report_text(changed).encode())
            return entries[number]
    raise MissingRecordError(f"{path}: has no failure {place[0]} any more")
