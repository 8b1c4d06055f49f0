"""The interface of watchers of a run, and the choice between live view and plain lines."""

from collections.abc import Sequence
from typing import Protocol, Self, TextIO

from records.journal.entries import AttemptKey
from records.shapes.attempt import Attempt
from records.shapes.run import Run
from runner.runs.plan import RunPlan


class Watcher(Protocol):
    """The receiver of reports from the execution of runs."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def started(self, plan: RunPlan, done: Sequence[Attempt]) -> None:
        """Report that a run begins or goes on; ``done`` was recorded before."""
        ...

    def opening(self, what: str) -> None:
        """Report a step of some seconds before any run begins, such as an import."""
        ...

    def waiting(
        self, plan: RunPlan, place: AttemptKey, what: str, until: float | None = None
    ) -> None:
        """Report that an attempt is under way and waits for ``what``, as in `Tell`.

        Its first wait marks its start.
        """
        ...

    def left(self, plan: RunPlan, place: AttemptKey) -> None:
        """Report that an attempt is given up without an outcome: the run is being stopped."""
        ...

    def attempted(self, plan: RunPlan, attempt: Attempt) -> None:
        """Report an attempt with its outcome, which is in the journal."""
        ...

    def noted(self, line: str) -> None:
        """Report an event of the whole session, such as a spent budget."""
        ...

    def stopping(self, why: str, line: str) -> None:
        """Report the end of all requests: ``why`` in two words, and a ``line`` for the user."""
        ...

    def finished(self, plan: RunPlan, run: Run) -> None:
        """Report the written record of a run."""
        ...


def watcher(lines: TextIO, terminal: TextIO | None = None) -> Watcher:
    """Return a live view that draws on ``terminal``, or plain lines where there is none.

    Control characters are made visible before they are drawn, so ``terminal`` may obey its input.
    """
    # Either module takes a third of a second to import, so only the module in use is imported.
    if terminal is None:
        from runner.runs.progress.plain_lines import Lines  # noqa: PLC0415

        return Lines(lines)
    from runner.runs.progress.live_view import LiveView  # noqa: PLC0415

    return LiveView(terminal)
