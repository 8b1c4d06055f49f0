"""The desk's interface to reports whose failures it classes; another package implements it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure

Place = tuple[str, int | None]
"""Eval and sample of an entry of a report; the sample is None for all failed samples."""


@dataclass(frozen=True, slots=True)
class ListedReport:
    """A report in a list."""

    run_id: str
    model: str
    experiment: str
    day: str
    path: Path
    is_draft: bool
    failures: int
    open: int
    """Number of failures without a class."""


@dataclass(frozen=True, slots=True)
class FailureEvidence:
    """An entry of a report with the evidence of its first attempt."""

    entry: ClassedFailure
    samples: Sequence[int]
    """The failed samples of the entry, at least one."""
    failed_tests: Sequence[str]
    message: str
    task: str | None
    """The task; None if today's suite has no such eval."""
    reference: Mapping[str, str]
    answer: Mapping[str, str] | None
    """The files of the answer by path; None if the answer is not archived."""
    earlier: Sequence[tuple[str, FailureClass, str]]
    """Model, class and note in other reports on the same eval."""

    @property
    def place(self) -> Place:
        """Eval and sample of the entry, which differ from those of other entries."""
        return self.entry.eval, self.entry.sample


@dataclass(frozen=True, slots=True)
class OpenReport:
    """A report with the evidence on each of its failures."""

    line: ListedReport
    failures: Sequence[FailureEvidence]


class OpenReports(Protocol):
    """Reading of reports with their evidence, and saving of classes."""

    def list_reports(self) -> Sequence[ListedReport]:
        """Return all reports, those with open failures first, then the newest first."""
        ...

    def read(self, run_id: str) -> OpenReport:
        """Return the report on a run.

        Raises:
            RecordsError: there is no such run or no report on it, or a file cannot be read.
            ReviewError: the suite is not valid.
        """
        ...

    def save(
        self, run_id: str, place: Place, failure_class: FailureClass, note: str
    ) -> ClassedFailure:
        """Write class and note into an entry, and return it.

        If no failure is left open, the report's text is updated.


        Raises:
            RecordsError, ReviewError: as for `read`.
        """
        ...


def compute_entry_version(entry: ClassedFailure) -> str:
    """Return a digest of an entry's class and note, by which forms notice changes of others."""
    return sha256(f"{entry.failure_class}\n{entry.note}".encode()).hexdigest()[:16]
