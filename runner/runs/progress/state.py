"""The state of a run under way: outcomes so far, attempts under way and their waits."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, NamedTuple

from records.attempt import Attempt, FaultClass, Outcome
from records.journal_entries import AttemptKey
from records.run import Run
from records.showing import counted, one_line
from runner.models.requests.wait_notices import TURN
from runner.runs.plan import RunPlan

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


@dataclass(slots=True)
class UnderWay:
    """An attempt between its first request and its outcome."""

    since: float
    """When it began, on the clock of ``time.monotonic``, as are the other two."""
    what: str
    """What it waits for."""
    waits_since: float
    until: float | None
    """When the wait ends; None where nobody knows."""


class Wait(NamedTuple):
    """What attempts wait for, and for how long."""

    what: str
    attempts: int
    seconds: float
    """Until the last of them goes on where ``is_left``, else since the first began to wait."""
    is_left: bool

    def __str__(self) -> str:
        """Say it: ``rate limit (12), 28 s left``."""
        many = f" ({self.attempts})" if self.attempts > 1 else ""
        return f"{self.what}{many}, {span(self.seconds)}{' left' * self.is_left}"


@dataclass(slots=True)
class RunProgress:
    """Where one run stands."""

    planned: int
    """Attempts in all."""
    before: int = 0
    """Attempts that had their verdict before this session."""
    began: float = field(default_factory=monotonic)
    outcomes: Counter[Outcome] = field(default_factory=Counter[Outcome])
    faults: Counter[FaultClass] = field(default_factory=Counter[FaultClass])
    evidence: dict[FaultClass, str] = field(default_factory=dict[FaultClass, str])
    """The latest of each kind."""
    cost_usd: float | None = None
    """What is known of the cost; None where nothing is."""
    failed_tries_usd: float = 0.0
    """The most that tries without a usable reply may have been billed, as far as that is known."""
    under_way: dict[AttemptKey, UnderWay] = field(default_factory=dict[AttemptKey, UnderWay])

    def begins_to_wait(self, place: AttemptKey, what: str, until: float | None, now: float) -> None:
        """Take in what an attempt waits for from now on."""
        known = self.under_way.get(place)
        # Time in the queue before the first request does not count as the attempt's duration.
        queued = known is not None and known.what == TURN and known.since == known.waits_since
        since = now if known is None or queued else known.since
        self.under_way[place] = UnderWay(since, what, now, until)

    def count(self, attempt: Attempt) -> None:
        """Take in an outcome."""
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
        """How many attempts have an outcome."""
        return self.outcomes.total()

    def seconds_left(self, now: float) -> float | None:
        """Extrapolate from this session's pace; None before its first outcome.

        No attempt goes on before its wait is over, whatever the pace was until then.
        """
        new = self.done - self.before
        if new <= 0 or self.done >= self.planned:
            return None
        held = max((one.until - now for one in self.under_way.values() if one.until), default=0.0)
        return max((now - self.began) / new * (self.planned - self.done), held)


def new_standing(plan: RunPlan, done: Sequence[Attempt]) -> RunProgress:
    """Return where a run stands that begins or goes on with ``done``."""
    progress = RunProgress(planned=len(plan.run.planned) * plan.run.samples, before=len(done))
    for attempt in done:
        progress.count(attempt)
    return progress


def under_way(progress: Sequence[RunProgress], now: float) -> str | None:
    """Say how many attempts are under way and what they wait for; None where none is.

    Those that wait for their turn to ask are counted apart.
    """
    known = [one for run in progress for one in run.under_way.values()]
    began = [one.since for one in known if one.what != TURN]
    queued = len(known) - len(began)
    parts: list[str] = []
    if began:
        said = "; ".join(str(wait) for wait in waits(progress, now) if wait.what != TURN)
        parts.append(f"{len(began)} under way, oldest {span(now - min(began))}: {said}")
    if queued:
        parts.append(f"{queued} in the queue")
    return "; ".join(parts) or None


def waits(progress: Iterable[RunProgress], now: float) -> list[Wait]:
    """Return what the attempts under way wait for, commonest first."""
    groups: defaultdict[tuple[str, bool], list[UnderWay]] = defaultdict(list)
    for run in progress:
        for one in run.under_way.values():
            groups[one.what, one.until is not None].append(one)
    found = [
        Wait(one_line(what), len(members), _seconds(members, now), is_left)
        for (what, is_left), members in groups.items()
    ]
    return sorted(found, key=lambda wait: (-wait.attempts, wait.what))


def _seconds(members: Sequence[UnderWay], now: float) -> float:
    ends = [one.until for one in members if one.until is not None]
    if ends:
        return max(0.0, max(ends) - now)
    return now - min(one.waits_since for one in members)


def reasons(faults: Counter[FaultClass]) -> str:
    """Say which kinds of infrastructure there were, commonest first."""
    kinds = faults.most_common()
    if len(kinds) == 1:
        return words(kinds[0][0])
    return ", ".join(f"{count} {words(kind)}" for kind, count in kinds)


def words(kind: FaultClass) -> str:
    """Name a kind of fault in words."""
    return kind.value.replace("_", " ")


def span(seconds: float) -> str:
    """Say how long something takes, as exactly as one wants to know."""
    if seconds < 1.5 * _MINUTE:
        return f"{max(0, round(seconds))} s"
    if seconds < 1.5 * _HOUR:
        return f"{round(seconds / _MINUTE)} min"
    if seconds < 1.5 * _DAY:
        hours, rest = divmod(round(seconds / _MINUTE), 60)
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    return f"{round(seconds / _DAY)} days"


def attempts(number: int) -> str:
    """Say how many attempts."""
    return counted(number, "attempt")


def dollars(cost_usd: float | None) -> str:
    """Say what something cost; nothing where it is not known."""
    if cost_usd is None:
        return ""
    return f"${cost_usd:.2f}" if cost_usd >= 1 or not cost_usd else f"${cost_usd:.4f}"


def failed_tries(most_usd: float | None) -> str:
    """Return the cost of failed tries in words; nothing where they cost nothing."""
    return f"failed tries {dollars(most_usd)} at most" if most_usd else ""


def ending(run: Run, progress: RunProgress, stopped: str) -> str:
    """Say how a run ended, in a few words; ``stopped`` says why where it was stopped."""
    unjudged = progress.outcomes[Outcome.INFRASTRUCTURE]
    if run.status == "completed":
        return f"{unjudged} not judged" if unjudged else "completed"
    return f"{stopped}, {progress.planned - progress.done} left"


def title(run: Run) -> str:
    """Name a run for a reader: its model and its experiment."""
    return f"{run.model.slug} {run.experiment.name}"
