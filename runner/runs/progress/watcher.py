"""Watchers of runs: the state that all of them keep, and those that print plain lines."""

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from time import monotonic
from typing import NamedTuple, Self, TextIO

from records.shapes.attempt import Attempt, AttemptKey, Fault, FaultClass, Generation, Outcome
from records.shapes.run import Run
from records.text.numbers import format_count, format_dollars
from records.text.visible import make_one_line, make_visible
from runner.models.requests.heard import TURN

SILENCE_S = 60.0
"""Seconds without a line after which the waits are printed."""

_MINUTE = 60

_HOUR = 60 * _MINUTE

_DAY = 24 * _HOUR


OUTCOMES = tuple(outcome.value for outcome in Outcome if outcome is not Outcome.NOT_RUN)
"""The words for the ends of attempts, in the order in which they are counted."""


class WatchedRun(NamedTuple):
    """What watchers show of a run, or of a model that is asked about sessions."""

    run_id: str
    """The id, different from those of the runs that are watched together with it."""
    title: str
    planned: int
    """The number of all attempts."""
    outcomes: Sequence[str] = OUTCOMES
    """The words for the ends of its attempts."""


class EndedQuestion(NamedTuple):
    """The end of a question about a session, with the fields of an attempt that watchers show."""

    eval: str
    """The session."""
    outcome: str
    reason: str | None
    fault: Fault | None
    generation: Generation | None
    failed_tries_usd: float | None
    sample: int = 1
    carried_over: None = None


EndedAttempt = Attempt | EndedQuestion


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

    def report_start(self, run: WatchedRun, done: Sequence[EndedAttempt]) -> None:
        """Report that a run begins or goes on; attempts in ``done`` have verdicts already."""
        progress = RunProgress(run, before=len(done))
        for attempt in done:
            progress.count(attempt)
        with self._lock:
            self._progress[run.run_id] = progress

    def report_preparation(self, what: str) -> None:
        """Report a step of some seconds before any run begins, such as an import."""
        self.report_event(f"{what} …")

    def report_wait(
        self, run: WatchedRun, place: AttemptKey, what: str, until: float | None = None
    ) -> None:
        """Report that an attempt waits for ``what``, until the time ``until``, as in `Tell`.

        The first wait of an attempt is its start.
        """
        with self._lock:
            self._progress[run.run_id].begins_to_wait(place, what, until, monotonic())

    def report_left_attempt(self, run: WatchedRun, place: AttemptKey) -> None:
        """Report that an attempt is left without an outcome, because the run is being stopped."""
        with self._lock:
            self._progress[run.run_id].under_way.pop(place, None)

    def report_attempt(self, run: WatchedRun, attempt: EndedAttempt) -> None:
        """Report an attempt with its outcome, which is in the journal."""
        with self._lock:
            self._progress[run.run_id].count(attempt)

    @abstractmethod
    def report_event(self, line: str) -> None:
        """Report an event that concerns no single attempt, such as a provider that is given up."""

    def report_stop(self, why: str, line: str) -> None:
        """Report that no more requests are sent: the reason in two words, and a line for users."""
        self._stopped = why
        self.report_event(line)

    @abstractmethod
    def report_end(self, run: WatchedRun) -> None:
        """Report that a run has ended and its record is written."""


class Lines(Watcher):
    """A watcher that prints a plain line for each event."""

    def __init__(self, stream: TextIO) -> None:
        """Prepare; lines go to ``stream``."""
        super().__init__()
        self._stream = stream
        self._said_at = monotonic()
        self._over = Event()
        self._reminder = Thread(target=self._remind, name="what is waited for", daemon=True)

    def __enter__(self) -> Self:
        self._reminder.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._reminder.join()

    def report_start(self, run: WatchedRun, done: Sequence[EndedAttempt]) -> None:
        """Print the run that begins or goes on."""
        super().report_start(run, done)
        resumed = f", {len(done)} already judged" if done else ""
        number = format_attempts(run.planned)
        self.report_event(f"{run.title}: {number}{resumed}, run {run.run_id}")

    def report_attempt(self, run: WatchedRun, attempt: EndedAttempt) -> None:
        """Print the outcome of an attempt and its reason."""
        why = attempt.fault.evidence if attempt.fault else attempt.reason
        tail = f": {make_one_line(why, 160)}" if why else ""
        with self._lock:
            progress = self._progress[run.run_id]
            progress.count(attempt)
            self._say(
                f"[{progress.done}/{progress.run.planned}] {run.title} {attempt.eval}"
                f"#{attempt.sample} {attempt.outcome}{tail}"
            )

    def report_event(self, line: str) -> None:
        """Print a line as it is."""
        with self._lock:
            self._say(line)

    def report_end(self, run: WatchedRun) -> None:
        """Print the end of the run."""
        with self._lock:
            progress = self._progress[run.run_id]
            self._say(
                f"{run.title} {describe_ending(progress, self._stopped)}: "
                f"{describe_progress(progress)}"
            )

    def _say(self, line: str) -> None:
        self._stream.write(make_visible(line) + "\n")
        self._stream.flush()
        self._said_at = monotonic()

    def _remind(self) -> None:
        wait = SILENCE_S
        while not self._over.wait(wait):
            with self._lock:
                now = monotonic()
                wait = self._said_at + SILENCE_S - now
                if wait <= 0:
                    if line := describe_under_way(list(self._progress.values()), now):
                        self._say(line)
                    wait = SILENCE_S


@dataclass(slots=True)
class UnderWay:
    """An attempt between its first request and its outcome."""

    since: float
    """The start of the attempt. All times here are those of ``time.monotonic``, in seconds."""
    what: str
    """The reason of the wait."""
    waits_since: float
    """The start of the wait."""
    until: float | None
    """The end of the wait; None if unknown."""


@dataclass(slots=True)
class RunProgress:
    """The state of one run."""

    run: WatchedRun
    before: int = 0
    """The number of attempts that had a verdict before this process began."""
    began: float = field(default_factory=monotonic)
    ended: str | None = None
    """The end of the run, in words; None while it goes on."""
    outcomes: Counter[str] = field(default_factory=Counter[str])
    faults: Counter[FaultClass] = field(default_factory=Counter[FaultClass])
    evidence: dict[FaultClass, str] = field(default_factory=dict[FaultClass, str])
    """The latest evidence for each kind of fault."""
    cost_usd: float | None = None
    """The known part of the cost in dollars; None if no cost is known."""
    failed_tries_usd: float = 0.0
    """The most that tries without a usable reply may have been billed, as far as known."""
    under_way: dict[AttemptKey, UnderWay] = field(default_factory=dict[AttemptKey, UnderWay])

    def begins_to_wait(self, place: AttemptKey, what: str, until: float | None, now: float) -> None:
        """Store the wait that an attempt begins."""
        earlier = self.under_way.get(place)
        # Time in the queue before the first request does not count as the attempt's duration.
        queued = (
            earlier is not None and earlier.what == TURN and earlier.since == earlier.waits_since
        )
        since = now if earlier is None or queued else earlier.since
        self.under_way[place] = UnderWay(since, what, now, until)

    def count(self, attempt: EndedAttempt) -> None:
        """Count an attempt that has its outcome, with its costs and its fault."""
        self.under_way.pop(AttemptKey(attempt.eval, attempt.sample), None)
        self.outcomes[attempt.outcome] += 1
        if attempt.fault is not None:
            self.faults[attempt.fault.kind] += 1
            self.evidence[attempt.fault.kind] = attempt.fault.evidence
        if attempt.carried_over is not None:
            return
        if attempt.generation and attempt.generation.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + attempt.generation.cost_usd
        self.failed_tries_usd += attempt.failed_tries_usd or 0.0

    @property
    def done(self) -> int:
        """The number of attempts with an outcome."""
        return self.outcomes.total()

    def estimate_seconds_left(self, now: float) -> float | None:
        """Return the estimated seconds to the end of the run; None before the first new outcome.

        The estimate assumes the pace so far, and is never shorter than the longest wait.
        """
        new = self.done - self.before
        if new <= 0 or self.done >= self.run.planned:
            return None
        held = max(
            (attempt.until - now for attempt in self.under_way.values() if attempt.until),
            default=0.0,
        )
        return max((now - self.began) / new * (self.run.planned - self.done), held)


def describe_progress(progress: RunProgress) -> str:
    """Return the state of a run in one line."""
    counts = [
        f"{progress.outcomes[word]} {word}"
        for word in progress.run.outcomes
        if progress.outcomes[word]
    ]
    state = f"{progress.done} of {progress.run.planned}: {', '.join(counts) or 'nothing judged'}"
    if progress.faults:
        state += f" ({describe_faults(progress.faults)})"
    costs = (format_cost(progress.cost_usd), describe_failed_tries(progress.failed_tries_usd))
    return ", ".join(filter(None, (state, *costs)))


def describe_under_way(progress: Sequence[RunProgress], now: float) -> str | None:
    """Return the number of attempts under way and their waits in words; None if there are none.

    A wait is in words such as ``rate limit (12), 28 s left``: the time until the last attempt goes
    on, or since the first one waits. The wait that most attempts share comes first. Attempts that
    wait in the queue for their first request are counted separately.
    """
    all_attempts = [attempt for run in progress for attempt in run.under_way.values()]
    begun = [attempt for attempt in all_attempts if attempt.what != TURN]
    queued = len(all_attempts) - len(begun)
    parts: list[str] = []
    if begun:
        groups: defaultdict[tuple[str, bool], list[UnderWay]] = defaultdict(list)
        for attempt in begun:
            groups[make_one_line(attempt.what), attempt.until is not None].append(attempt)
        waits: list[str] = []
        ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0][0]))
        for (what, _), members in ordered:
            many = f" ({len(members)})" if len(members) > 1 else ""
            ends = [attempt.until for attempt in members if attempt.until is not None]
            time = format_span(now - min(attempt.waits_since for attempt in members))
            if ends:
                time = f"{format_span(max(0.0, max(ends) - now))} left"
            waits.append(f"{what}{many}, {time}")
        oldest_s = now - min(attempt.since for attempt in begun)
        parts.append(f"{len(begun)} under way, oldest {format_span(oldest_s)}: {'; '.join(waits)}")
    if queued:
        parts.append(f"{queued} in the queue")
    return "; ".join(parts) or None


def describe_faults(faults: Counter[FaultClass]) -> str:
    """Return the kinds of infrastructure faults in words, the most common first."""
    kinds = [(kind.replace("_", " "), count) for kind, count in faults.most_common()]
    if len(kinds) == 1:
        return kinds[0][0]
    return ", ".join(f"{count} {kind}" for kind, count in kinds)


def format_span(seconds: float) -> str:
    """Return a duration in words, rounded for a reader."""
    if seconds < 1.5 * _MINUTE:
        return f"{max(0, round(seconds))} s"
    if seconds < 1.5 * _HOUR:
        return f"{round(seconds / _MINUTE)} min"
    if seconds < 1.5 * _DAY:
        hours, minutes = divmod(round(seconds / _MINUTE), 60)
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{round(seconds / _DAY)} days"


def format_attempts(number: int) -> str:
    """Return a number of attempts in words."""
    return format_count(number, "attempt")


def format_cost(cost_usd: float | None) -> str:
    """Return a cost in dollars, as text; empty if it is unknown."""
    return "" if cost_usd is None else format_dollars(cost_usd)


def describe_failed_tries(most_usd: float | None) -> str:
    """Return the cost of failed tries in words; empty if they cost nothing."""
    return f"failed tries {format_cost(most_usd)} at most" if most_usd else ""


def describe_ending(progress: RunProgress, stopped: str) -> str:
    """Return the end of a run in a few words; ``stopped`` is the reason of an early stop."""
    unjudged = progress.outcomes[Outcome.INFRASTRUCTURE]
    if progress.done == progress.run.planned:
        return f"{unjudged} not judged" if unjudged else "completed"
    return f"{stopped}, {progress.run.planned - progress.done} left"


def format_run_title(run: Run) -> str:
    """Return the title of a run for a reader: its model and its experiment."""
    return f"{run.model.slug} {run.experiment.name}"
