"""The interface of those who watch a run, and the choice between live view and plain lines."""

from collections.abc import Sequence
from typing import Protocol, Self, TextIO

from records.attempt import Attempt
from records.journal_entries import AttemptKey
from records.run import Run
from runner.runs.plan import RunPlan


class Watcher(Protocol):
    """What the execution of runs reports as it goes."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def started(self, plan: RunPlan, done: Sequence[Attempt]) -> None:
        """A run begins or goes on; ``done`` was recorded before."""
        ...

    def opening(self, what: str) -> None:
        """Something that takes seconds begins before any run does, such as an import."""
        ...

    def waiting(
        self, plan: RunPlan, place: AttemptKey, what: str, until: float | None = None
    ) -> None:
        """An attempt is under way and waits for ``what``; as `Tell` says it.

        Its first wait is when it began.
        """
        ...

    def left(self, plan: RunPlan, place: AttemptKey) -> None:
        """An attempt is no longer under way, and has no outcome: the run is being stopped."""
        ...

    def attempted(self, plan: RunPlan, attempt: Attempt) -> None:
        """An attempt reached its outcome and is in the journal."""
        ...

    def noted(self, line: str) -> None:
        """Something concerns the whole session, such as a spent budget."""
        ...

    def stopping(self, why: str, line: str) -> None:
        """Nobody is asked any more: ``why`` in two words, and what to say of it."""
        ...

    def finished(self, plan: RunPlan, run: Run) -> None:
        """The record was written."""
        ...


def watcher(lines: TextIO, terminal: TextIO | None = None) -> Watcher:
    """Return a live view that draws on ``terminal``, or plain lines where there is none.

    What is drawn is made visible first, so ``terminal`` may obey what is written to it.
    """
    # Either module takes a third of a second to import, so only the one in use is imported.
    if terminal is None:
        from runner.runs.progress.plain_lines import Lines  # noqa: PLC0415

        return Lines(lines)
    from runner.runs.progress.live_view import LiveView  # noqa: PLC0415

    return LiveView(terminal)
