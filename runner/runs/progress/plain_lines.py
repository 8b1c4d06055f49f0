"""Progress in plain lines, for logs, CI and pipes: one line for each event.

If no line was printed for a long time, a line with the current waits is.
"""

from collections.abc import Sequence
from threading import Event, Thread
from time import monotonic
from typing import Final, Self, TextIO

from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Run
from records.text.visible import make_one_line, make_visible
from runner.runs.plan import RunPlan
from runner.runs.progress.run_state import (
    RunProgress,
    describe_ending,
    describe_failed_tries,
    describe_faults,
    describe_under_way,
    format_attempts,
    format_cost,
    format_run_title,
)
from runner.runs.progress.watcher import Watcher

SILENCE_S: Final = 60.0
"""Seconds without a line after which the waits are printed."""


class Lines(Watcher):
    """A watcher that prints a plain line for each event."""

    def __init__(self, stream: TextIO, *, silence_s: float = SILENCE_S) -> None:
        """Prepare; lines go to ``stream``. After ``silence_s`` seconds the waits are printed."""
        super().__init__()
        self._stream = stream
        self._silence_s = silence_s
        self._said_at = monotonic()
        self._over = Event()
        self._reminder = Thread(target=self._remind, name="what is waited for", daemon=True)

    def __enter__(self) -> Self:
        self._reminder.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._reminder.join()

    def report_start(self, plan: RunPlan, done: Sequence[Attempt]) -> None:
        """Print the run that begins or goes on."""
        super().report_start(plan, done)
        resumed = f", {len(done)} already judged" if done else ""
        number = format_attempts(plan.run.planned_attempts)
        self.report_event(f"{format_run_title(plan.run)}: {number}{resumed}, run {plan.run.run_id}")

    def report_attempt(self, plan: RunPlan, attempt: Attempt) -> None:
        """Print the outcome of an attempt and its reason."""
        why = attempt.fault.evidence if attempt.fault else attempt.reason
        tail = f": {make_one_line(why, 160)}" if why else ""
        with self._lock:
            progress = self._progress[plan.run.run_id]
            progress.count(attempt)
            self._say(
                f"[{progress.done}/{progress.planned}] {format_run_title(plan.run)} {attempt.eval}"
                f"#{attempt.sample} {attempt.outcome.value}{tail}"
            )

    def report_event(self, line: str) -> None:
        """Print a line as it is."""
        with self._lock:
            self._say(line)

    def report_end(self, plan: RunPlan, run: Run) -> None:
        """Print the end of the run."""
        with self._lock:
            progress = self._progress[plan.run.run_id]
            self._say(
                f"{format_run_title(run)} {describe_ending(run, progress, self._stopped)}: "
                f"{describe_progress(progress)}"
            )

    def _say(self, line: str) -> None:
        self._stream.write(make_visible(line) + "\n")
        self._stream.flush()
        self._said_at = monotonic()

    def _remind(self) -> None:
        wait = self._silence_s
        while not self._over.wait(wait):
            with self._lock:
                now = monotonic()
                wait = self._said_at + self._silence_s - now
                if wait <= 0:
                    if line := describe_under_way(list(self._progress.values()), now):
                        self._say(line)
                    wait = self._silence_s


def describe_progress(progress: RunProgress) -> str:
    """Return the state of a run in one line."""
    parts = [
        f"{progress.outcomes[outcome]} {outcome.value}"
        for outcome in Outcome
        if progress.outcomes[outcome]
    ]
    why = f" ({describe_faults(progress.faults)})" if progress.faults else ""
    counts = ", ".join(parts) or "nothing judged"
    costs = (format_cost(progress.cost_usd), describe_failed_tries(progress.failed_tries_usd))
    return ", ".join(
        part for part in (f"{progress.done} of {progress.planned}: {counts}{why}", *costs) if part
    )
