"""The progress of the demo in plain lines: the count of attempts, at each twentieth of them."""

from collections.abc import Sequence
from threading import Lock
from typing import Final, Self, TextIO

from records.journal.entries import AttemptKey
from records.shapes.attempt import Attempt
from records.shapes.run import Run
from records.text.visible import make_visible
from runner.runs.plan import RunPlan
from runner.runs.progress.run_state import format_run_title

LINES: Final = 20
"""The number of lines about attempts."""


class DemoLines:
    """A watcher that counts the attempts of all runs together."""

    def __init__(self, stream: TextIO, planned: int) -> None:
        """Store ``stream``, which gets the lines, and ``planned``, the number of all attempts."""
        self._stream = stream
        self._planned = planned
        self._done = 0
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def report_start(self, plan: RunPlan, done: Sequence[Attempt]) -> None:
        """Print nothing, because the demo has named its runs before."""

    def report_preparation(self, what: str) -> None:
        """Print the name of the part that starts."""
        self.report_event(f"{what} …")

    def report_wait(
        self, plan: RunPlan, place: AttemptKey, what: str, until: float | None = None
    ) -> None:
        """Print nothing, because baselines wait for no provider."""

    def report_left_attempt(self, plan: RunPlan, place: AttemptKey) -> None:
        """Print nothing for an attempt without an outcome."""

    def report_attempt(self, plan: RunPlan, attempt: Attempt) -> None:
        """Count the attempt; print the count at each twentieth of all."""
        del plan, attempt
        with self._lock:
            self._done += 1
            if self._done * LINES // self._planned > (self._done - 1) * LINES // self._planned:
                remaining = self._planned - self._done
                self._say(f"{self._done} of {self._planned} attempts done, {remaining} left")

    def report_event(self, line: str) -> None:
        """Print a line."""
        with self._lock:
            self._say(line)

    def report_stop(self, why: str, line: str) -> None:
        """Print that no more attempts begin."""
        del why
        self.report_event(line)

    def report_end(self, plan: RunPlan, run: Run) -> None:
        """Print that a run's record was written."""
        del plan
        self.report_event(f"{format_run_title(run)}: recorded")

    def _say(self, line: str) -> None:
        self._stream.write(f"{make_visible(line)}\n")
        self._stream.flush()
