"""Reports on runs whose failures the desk classes: the desk asks, another package answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure

Place = tuple[str, int | None]
"""Eval and sample of an entry of a report; the sample is null for all failed samples."""


@dataclass(frozen=True, slots=True)
class ListedReport:
    """A report as a list shows it."""

    run_id: str
    model: str
    experiment: str
    day: str
    path: Path
    is_draft: bool
    failures: int
    open: int
    """Failures without a class."""


@dataclass(frozen=True, slots=True)
class FailureEvidence:
    """An entry of a report with the evidence of its first attempt."""

    entry: ClassedFailure
    samples: Sequence[int]
    """The failed samples of the entry, at least 1."""
    failed_tests: Sequence[str]
    message: str
    task: str | None
    """Null where today's suite has no such eval."""
    reference: Mapping[str, str]
    answer: Mapping[str, str] | None
    """Null where the answer is not archived."""
    earlier: Sequence[tuple[str, FailureClass, str]]
    """Model, class and note of other reports on the same eval."""

    @property
    def place(self) -> Place:
        """The eval and the sample by which the entry differs from others."""
        return self.entry.eval, self.entry.sample


@dataclass(frozen=True, slots=True)
class OpenReport:
    """A report with the evidence on each of its failures."""

    line: ListedReport
    failures: Sequence[FailureEvidence]


class OpenReports(Protocol):
    """Reads reports and their evidence, and saves classes."""

    def lines(self) -> Sequence[ListedReport]:
        """Return all reports, those with open failures first, then the newest first."""
        ...

    def read(self, run_id: str) -> OpenReport:
        """Return the report on a run.

        Raises:
            RecordsError: there is no such run or no report on it, or it cannot be read.
            ReviewError: the suite is not as it must be.
        """
        ...

    def save(
        self, run_id: str, place: Place, failure_class: FailureClass, note: str
    ) -> ClassedFailure:
        """Write class and note into an entry, and return it.

        With no failure left open, the report's text is brought up to date.

        Raises:
            RecordsError, ReviewError: as for `read`.
        """
        ...


def version_of(entry: ClassedFailure) -> str:
    """Return the version of an entry's class and note: a form names the version it changes."""
    return sha256(f"{entry.failure_class}\n{entry.note}".encode()).hexdigest()[:16]
