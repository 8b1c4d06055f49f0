"""The interface of watchers of runs, and the choice between live view and plain lines."""

from collections.abc import Sequence
from typing import Protocol, Self, TextIO

from records.journal.entries import AttemptKey
from records.shapes.attempt import Attempt
from records.shapes.run import Run
from runner.runs.plan import RunPlan


class Watcher(Protocol):
    """A receiver of reports on the execution of runs."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def report_start(self, plan: RunPlan, done: Sequence[Attempt]) -> None:
        """Report that a run begins or goes on; attempts in ``done`` have verdicts already."""
        ...

    def report_preparation(self, what: str) -> None:
        """Report a step of some seconds before any run begins, such as an import."""
        ...

    def report_wait(
        self, plan: RunPlan, place: AttemptKey, what: str, until: float | None = None
    ) -> None:
        """Report that an attempt waits for ``what``, until the time ``until``, as in `Tell`.

        The first wait of an attempt is its start.
        """
        ...

    def report_left_attempt(self, plan: RunPlan, place: AttemptKey) -> None:
        """Report that an attempt is left without an outcome, because the run is being stopped."""
        ...

    def report_attempt(self, plan: RunPlan, attempt: Attempt) -> None:
        """Report an attempt with its outcome, which is in the journal."""
        ...

    def report_event(self, line: str) -> None:
        """Report an event that concerns no single attempt, such as a provider that is given up."""
        ...

    def report_stop(self, why: str, line: str) -> None:
        """Report that no more requests are sent: the reason in two words, and a line for users."""
        ...

    def report_end(self, plan: RunPlan, run: Run) -> None:
        """Report that a run has ended and its record is written."""
        ...


def make_watcher(lines: TextIO, terminal: TextIO | None = None) -> Watcher:
    """Return a live view on ``terminal``, or a printer of plain lines to ``lines`` if it is None.

    The live view makes control characters visible, so ``terminal`` may be one that obeys them.
    """
    # Each module takes a third of a second to import, so only the module in use is imported.
    if terminal is None:
        from runner.runs.progress.plain_lines import Lines  # noqa: PLC0415

        return Lines(lines)
    from runner.runs.progress.live_view import LiveView  # noqa: PLC0415

    return LiveView(terminal)
