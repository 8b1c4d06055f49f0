"""The base of watchers of runs."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from threading import Lock
from time import monotonic
from typing import Self

from records.journal.entries import AttemptKey
from records.shapes.attempt import Attempt
from records.shapes.run import Run
from runner.runs.plan import RunPlan
from runner.runs.progress.run_state import RunProgress, make_progress


class Watcher(ABC):
    """A receiver of reports on the execution of runs. Any thread may call its methods."""

    def __init__(self) -> None:
        """Begin without runs."""
        self._progress: dict[str, RunProgress] = {}
        """The state of each run, by its id."""
        self._lock = Lock()
        """Lock of all that several threads use."""
        self._stopped = "stopped"
        """The reason of an early stop, in two words."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def report_start(self, plan: RunPlan, done: Sequence[Attempt]) -> None:
        """Report that a run begins or goes on; attempts in ``done`` have verdicts already."""
        progress = make_progress(plan, done)
        with self._lock:
            self._progress[plan.run.run_id] = progress

    def report_preparation(self, what: str) -> None:
        """Report a step of some seconds before any run begins, such as an import."""
        self.report_event(f"{what} …")

    def report_wait(
        self, plan: RunPlan, place: AttemptKey, what: str, until: float | None = None
    ) -> None:
        """Report that an attempt waits for ``what``, until the time ``until``, as in `Tell`.

        The first wait of an attempt is its start.
        """
        with self._lock:
            self._progress[plan.run.run_id].begins_to_wait(place, what, until, monotonic())

    def report_left_attempt(self, plan: RunPlan, place: AttemptKey) -> None:
        """Report that an attempt is left without an outcome, because the run is being stopped."""
        with self._lock:
            self._progress[plan.run.run_id].under_way.pop(place, None)

    def report_attempt(self, plan: RunPlan, attempt: Attempt) -> None:
        """Report an attempt with its outcome, which is in the journal."""
        with self._lock:
            self._progress[plan.run.run_id].count(attempt)

    @abstractmethod
    def report_event(self, line: str) -> None:
        """Report an event that concerns no single attempt, such as a provider that is given up."""

    def report_stop(self, why: str, line: str) -> None:
        """Report that no more requests are sent: the reason in two words, and a line for users."""
        self._stopped = why
        self.report_event(line)

    @abstractmethod
    def report_end(self, plan: RunPlan, run: Run) -> None:
        """Report that a run has ended and its record is written."""
