"""The progress of the demo in plain lines: attempts and time left, at each twentieth of them."""

from time import monotonic
from typing import Final, TextIO

from records.shapes.attempt import Attempt
from records.shapes.run import Run
from records.text.visible import make_visible
from runner.runs.plan import RunPlan
from runner.runs.progress.watcher import Watcher, format_run_title, format_span

LINES: Final = 20
"""The number of lines about attempts."""


class DemoLines(Watcher):
    """A watcher that counts the attempts of all runs together."""

    def __init__(self, stream: TextIO, planned: int) -> None:
        """Store ``stream``, which gets the lines, and ``planned``, the number of all attempts."""
        super().__init__()
        self._stream = stream
        self._planned = planned
        self._done = 0
        self._first_at = 0.0
        """When the first attempt was done: before it, programs are packed for some seconds."""

    def report_attempt(self, plan: RunPlan, attempt: Attempt) -> None:
        """Count the attempt; print the count and the time left at each twentieth of all."""
        super().report_attempt(plan, attempt)
        with self._lock:
            self._done += 1
            self._first_at = self._first_at or monotonic()
            if self._done * LINES // self._planned > (self._done - 1) * LINES // self._planned:
                self._say(f"{self._done} of {self._planned} attempts done{self._describe_rest()}")

    def _describe_rest(self) -> str:
        """Return the seconds left by the pace so far; empty if no pace is known, or at the end."""
        measured, remaining = self._done - 1, self._planned - self._done
        if not measured or not remaining:
            return ""
        seconds = (monotonic() - self._first_at) / measured * remaining
        return f", about {format_span(seconds)} left"

    def report_event(self, line: str) -> None:
        """Print a line."""
        with self._lock:
            self._say(line)

    def report_end(self, plan: RunPlan, run: Run) -> None:
        """Print that a run's record was written."""
        del plan
        self.report_event(f"{format_run_title(run)}: recorded")

    def _say(self, line: str) -> None:
        self._stream.write(f"{make_visible(line)}\n")
        self._stream.flush()
