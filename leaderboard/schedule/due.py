"""The schedule of models: the day on which a model's next run of the whole suite is due."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from records.shapes.registry import ModelEntry
from records.shapes.run import Run
from records.shapes.totals import sum_answers
from runner.runs.history import OLDEST

SHORTEST_DAYS: Final = 1
LONGEST_DAYS: Final = 60
AGE_PER_DAY: Final = 6
"""The days of a model's age for each day between its runs: 1 day between them in its first week,
60 days after a year."""
CHEAP_USD: Final = 5.0
"""The cost of a run, in dollars, up to which it does not lengthen the interval."""
DEAR_USD: Final = 50.0
"""The cost of a run, in dollars, from which the interval is at least `DEAR_DAYS`."""
DEAR_DAYS: Final = 14


@dataclass(frozen=True, slots=True)
class Schedule:
    """The days of a model's latest and next run of the whole suite, under an experiment."""

    entry: ModelEntry
    last: date | None
    """The day of the latest run of the whole of today's suite; None if there is none."""
    next: date | None
    """The first day on which a run is due; None if no run has begun: then it is due at once."""

    def is_due(self, day: date) -> bool:
        """Return whether a run is due on ``day``; never after the provider retired the model."""
        if self.entry.retires is not None and self.entry.retires <= day:
            return False
        return self.next is None or self.next <= day


def schedule(
    entry: ModelEntry,
    runs: Sequence[Run],
    evals: Collection[str],
    today: date,
    unfinished: Run | None = None,
) -> Schedule:
    """Return the schedule of the model of ``entry``.

    Args:
        entry: the model's entry in models.toml.
        runs: the model's runs of today's suite under one experiment, in the order in which they
            began. Runs of a part of the suite are ignored.
        evals: the names of all evals of today's suite.
        today: the current day. If the model's release is unknown, its age is counted from its
            first run, or else from today.
        unfinished: the run to resume instead of a new run; None if there is none.
    """
    eval_names = set(evals)
    whole = [run for run in runs if eval_names <= set(run.planned)]
    last = next((run for run in reversed(whole) if not run.unjudged), None)
    day = last.date if last else None
    if unfinished is not None:
        return Schedule(entry, day, _compute_next_try(unfinished))
    if last is None:
        return Schedule(entry, None, None)
    born = entry.released or runs[0].date
    # The next run asks for all answers, so it may cost more than a run that carried some over.
    cost_usd = sum_answers(last.attempts).cost_usd
    return Schedule(entry, day, last.date + _compute_interval(today - born, cost_usd))


def _compute_interval(age: timedelta, cost_usd: float | None) -> timedelta:
    """Return the interval between runs: the longer of those by age and by cost.

    By cost it is 1 day up to $5 and 14 days from $50 on, proportional in between, and 1 day for an
    unknown cost.
    """
    by_age = min(max(age.days // AGE_PER_DAY, SHORTEST_DAYS), LONGEST_DAYS)
    known_usd = CHEAP_USD if cost_usd is None else cost_usd
    share = min(max((known_usd - CHEAP_USD) / (DEAR_USD - CHEAP_USD), 0.0), 1.0)
    by_cost = round(SHORTEST_DAYS + share * (DEAR_DAYS - SHORTEST_DAYS))
    return timedelta(days=max(by_age, by_cost))


def _compute_next_try(run: Run) -> date:
    """Return the day on which an unfinished run goes on; at once if it was stopped or killed.

    A run with attempts without a verdict waits as long as it has lasted so far: 1 day, 2, 4, 8.
    """
    ended = run.finished_at.date() if run.finished_at else run.date
    if run.status != "completed":
        return ended
    duration = max(ended - run.date, timedelta(days=SHORTEST_DAYS))
    return ended + min(duration, OLDEST)
