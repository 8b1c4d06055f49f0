"""A run with the facts from its journal, its folder and its report."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from records.errors import MissingRecordError, RecordsError
from records.files.data_folder import DataFolder
from records.journal import journal
from records.journal.entries import AttemptKey
from records.journal.replay import read
from records.reader import read_report
from records.runs.run_lookup import StoredRun
from records.shapes.attempt import Outcome
from records.shapes.report import Report
from records.shapes.run import Run
from records.shapes.totals import compute_run_totals

KnownState = Literal["complete", "incomplete", "stopped", "interrupted", "going"]
Place = Literal["local", "published", "withdrawn"]

IN_WORDS: Mapping[KnownState, str] = {
    "complete": "complete",
    "incomplete": "incomplete: attempts have no verdict",
    "stopped": "stopped before all attempts were made",
    "interrupted": "interrupted: no program executes it",
    "going": "going now",
}
"""The meaning of each state."""


@dataclass(frozen=True)
class RunFacts:
    """A run with its current facts; an unfinished run has the verdicts of its journal."""

    stored: StoredRun
    run: Run
    in_use: bool
    """True while a program executes the run."""
    reports: Mapping[str, tuple[Path, Report]]
    """All reports with their paths, by the ids of their runs."""

    @cached_property
    def state(self) -> KnownState:
        """The state of the run."""
        if self.in_use:
            return "going"
        if self.stored.journal is not None or self.run.status == "running":
            return "interrupted"
        if not self.run.unjudged:
            return "complete"
        return "stopped" if self.run.status == "aborted" else "incomplete"

    @property
    def place(self) -> Place:
        """Whether the run is local, published or withdrawn."""
        if self.run.withdrawn is not None:
            return "withdrawn"
        return "local" if self.stored.is_local else "published"

    @property
    def passed(self) -> int:
        """The number of attempts that passed."""
        return sum(attempt.outcome is Outcome.PASSED for attempt in self.run.attempts)

    @property
    def report(self) -> tuple[Path, Report] | None:
        """The report on the run and its path; None if there is none."""
        return self.reports.get(self.run.run_id)


def read_facts(stored: StoredRun, reports: Mapping[str, tuple[Path, Report]]) -> RunFacts:
    """Return the facts of a run.

    Raises:
        RecordsError: the record or the journal of the run cannot be read.
    """
    run = stored.read()
    in_use = False
    if stored.journal is not None:
        try:
            in_use = journal.is_in_use(stored.journal)
            state = read(stored.journal)
        except MissingRecordError:
            return RunFacts(stored, stored.read(), False, reports)  # noqa: FBT003 - it has ended
        attempt_by_key = {
            AttemptKey(attempt.eval, attempt.sample): attempt for attempt in run.attempts
        } | state.attempts
        attempts = tuple(attempt_by_key[key] for key in sorted(attempt_by_key))
        run = run.model_copy(update={"attempts": attempts, "totals": compute_run_totals(attempts)})
    return RunFacts(stored, run, in_use, reports)


def read_reports(data: DataFolder) -> dict[str, tuple[Path, Report]]:
    """Return all reports that can be read, with their paths, by the ids of their runs."""
    by_run: dict[str, tuple[Path, Report]] = {}
    for folder in (data.local, data):
        for path in folder.list_report_files():
            try:
                report = read_report(path)
            except RecordsError:
                continue  # `leaderboard check` reports it
            by_run[report.run] = path, report
    return by_run


def report_state(facts: RunFacts) -> str:
    """Return the state of the report on a run: none, draft or done."""
    if facts.report is None:
        return "none"
    return "draft" if facts.report[1].draft else "done"
