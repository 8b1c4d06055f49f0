"""The state of a run under way: outcomes so far, attempts under way and their waits."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from records.journal.entries import AttemptKey
from records.shapes.attempt import Attempt, FaultClass, Outcome
from records.shapes.run import Run
from records.text.numbers import format_count, format_dollars
from records.text.visible import make_one_line
from runner.models.requests.heard import TURN
from runner.runs.plan import RunPlan

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


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

    planned: int
    """The number of all attempts of the run."""
    before: int = 0
    """The number of attempts that had a verdict before this process began."""
    began: float = field(default_factory=monotonic)
    outcomes: Counter[Outcome] = field(default_factory=Counter[Outcome])
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

    def count(self, attempt: Attempt) -> None:
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
        if new <= 0 or self.done >= self.planned:
            return None
        held = max(
            (attempt.until - now for attempt in self.under_way.values() if attempt.until),
            default=0.0,
        )
        return max((now - self.began) / new * (self.planned - self.done), held)


def make_progress(plan: RunPlan, done: Sequence[Attempt]) -> RunProgress:
    """Return the state of a run that begins, or goes on with the verdicts of ``done``."""
    progress = RunProgress(planned=plan.run.planned_attempts, before=len(done))
    for attempt in done:
        progress.count(attempt)
    return progress


def describe_under_way(progress: Sequence[RunProgress], now: float) -> str | None:
    """Return the number of attempts under way and their waits in words; None if there are none.

    Attempts that wait in the queue for their first request are counted separately.
    """
    all_attempts = [attempt for run in progress for attempt in run.under_way.values()]
    begun = [attempt for attempt in all_attempts if attempt.what != TURN]
    queued = len(all_attempts) - len(begun)
    parts: list[str] = []
    if begun:
        oldest_s = now - min(attempt.since for attempt in begun)
        waits = _describe_waits(begun, now)
        parts.append(f"{len(begun)} under way, oldest {format_span(oldest_s)}: {waits}")
    if queued:
        parts.append(f"{queued} in the queue")
    return "; ".join(parts) or None


def _describe_waits(attempts: Sequence[UnderWay], now: float) -> str:
    """Return the waits that one or more attempts share in words, the most common first."""
    groups: defaultdict[tuple[str, bool], list[UnderWay]] = defaultdict(list)
    for attempt in attempts:
        groups[make_one_line(attempt.what), attempt.until is not None].append(attempt)
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0][0]))
    return "; ".join(_describe_wait(what, members, now) for (what, _), members in ordered)


def _describe_wait(what: str, members: Sequence[UnderWay], now: float) -> str:
    """Return a wait in words, such as ``rate limit (12), 28 s left``.

    The time is that until the last attempt goes on, or since the first one waits.
    """
    many = f" ({len(members)})" if len(members) > 1 else ""
    ends = [attempt.until for attempt in members if attempt.until is not None]
    if ends:
        return f"{what}{many}, {format_span(max(0.0, max(ends) - now))} left"
    return f"{what}{many}, {format_span(now - min(each.waits_since for each in members))}"


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


def describe_ending(run: Run, progress: RunProgress, stopped: str) -> str:
    """Return the end of a run in a few words; ``stopped`` is the reason of an early stop."""
    unjudged = progress.outcomes[Outcome.INFRASTRUCTURE]
    if run.status == "completed":
        return f"{unjudged} not judged" if unjudged else "completed"
    return f"{stopped}, {progress.planned - progress.done} left"


def format_run_title(run: Run) -> str:
    """Return the title of a run for a reader: its model and its experiment."""
    return f"{run.model.slug} {run.experiment.name}"
