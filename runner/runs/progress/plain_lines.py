"""A run as plain lines, for logs, CI and pipes: one per event, and one when nothing happens."""

from collections.abc import Sequence
from threading import Event, Lock, Thread
from time import monotonic
from typing import Final, Self, TextIO

from records.journal import Place
from records.run import Attempt, Outcome, Run
from records.showing import one_line, visible
from runner.runs.plan import Plan
from runner.runs.progress.state import (
    Standing,
    attempts,
    dollars,
    ending,
    new_standing,
    reasons,
    title,
    under_way,
)

SILENCE_S: Final = 60.0
"""Seconds without a line after which one says what is waited for."""


class Lines:
    """One plain line per event."""

    def __init__(self, stream: TextIO, *, silence_s: float = SILENCE_S) -> None:
        """Write to ``stream``; say what is waited for after ``silence_s`` without a line."""
        self._stream = stream
        self._silence_s = silence_s
        self._standings: dict[str, Standing] = {}
        self._lock = Lock()
        """Over standings, stream and the time of the last line: waits come from any thread."""
        self._said_at = monotonic()
        self._stopped = "stopped"
        self._over = Event()
        self._reminder = Thread(target=self._remind, name="what is waited for", daemon=True)

    def __enter__(self) -> Self:
        self._reminder.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._reminder.join()

    def started(self, plan: Plan, done: Sequence[Attempt]) -> None:
        """Say which run begins."""
        standing = new_standing(plan, done)
        resumed = f", {len(done)} already judged" if done else ""
        number = attempts(standing.planned)
        line = f"{title(plan.run)}: {number}{resumed}, run {plan.run.run_id}"
        with self._lock:
            self._standings[plan.run.run_id] = standing
            self._say(line)

    def opening(self, what: str) -> None:
        """Say it."""
        self.noted(f"{what} …")

    def waiting(self, plan: Plan, place: Place, what: str, until: float | None = None) -> None:
        """Keep it for when nothing else is to be said."""
        with self._lock:
            self._standings[plan.run.run_id].begins_to_wait(place, what, until, monotonic())

    def left(self, plan: Plan, place: Place) -> None:
        """Forget what it waited for."""
        with self._lock:
            self._standings[plan.run.run_id].under_way.pop(place, None)

    def attempted(self, plan: Plan, attempt: Attempt) -> None:
        """Say how an attempt ended."""
        why = attempt.fault.evidence if attempt.fault else attempt.reason
        tail = f": {one_line(why, 160)}" if why else ""
        with self._lock:
            standing = self._standings[plan.run.run_id]
            standing.count(attempt)
            self._say(
                f"[{standing.done}/{standing.planned}] {title(plan.run)} {attempt.eval}"
                f"#{attempt.sample} {attempt.outcome.value}{tail}"
            )

    def noted(self, line: str) -> None:
        """Say it."""
        with self._lock:
            self._say(line)

    def stopping(self, why: str, line: str) -> None:
        """Say it, and remember why."""
        with self._lock:
            self._stopped = why
            self._say(line)

    def finished(self, plan: Plan, run: Run) -> None:
        """Say how the run ended."""
        with self._lock:
            standing = self._standings[plan.run.run_id]
            self._say(f"{title(run)} {ending(run, standing, self._stopped)}: {summary(standing)}")

    def _say(self, line: str) -> None:
        self._stream.write(visible(line) + "\n")
        self._stream.flush()
        self._said_at = monotonic()

    def _remind(self) -> None:
        wait = self._silence_s
        while not self._over.wait(wait):
            with self._lock:
                now = monotonic()
                wait = self._said_at + self._silence_s - now
                if wait <= 0:
                    if line := under_way(list(self._standings.values()), now):
                        self._say(line)
                    wait = self._silence_s


def summary(standing: Standing) -> str:
    """Say in one line where a run stands."""
    parts = [
        f"{standing.outcomes[outcome]} {outcome.value}"
        for outcome in Outcome
        if standing.outcomes[outcome]
    ]
    why = f" ({reasons(standing.faults)})" if standing.faults else ""
    cost = f", {dollars(standing.cost_usd)}" if standing.cost_usd is not None else ""
    counts = ", ".join(parts) or "nothing judged"
    return f"{standing.done} of {standing.planned}: {counts}{why}{cost}"
