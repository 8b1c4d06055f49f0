"""The schedule of models: the day of the next run of the whole suite under an experiment."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from records.shapes.registry import ModelEntry
from records.shapes.run import Run
from records.shapes.totals import sum_answers
from runner.runs.unfinished import OLDEST

SHORTEST_DAYS: Final = 1
LONGEST_DAYS: Final = 60
AGE_PER_DAY: Final = 6
"""A model waits one day for each six days of its age: 1 in its first week, 60 after a year."""
CHEAP_USD: Final = 5.0
"""A run at this price or below lengthens no interval."""
DEAR_USD: Final = 50.0
"""A run at this price or above is made once in `DEAR_DAYS`, however young the model is."""
DEAR_DAYS: Final = 14


@dataclass(frozen=True, slots=True)
class Schedule:
    """The latest whole run of a model under an experiment, and the day of its next."""

    entry: ModelEntry
    last: date | None
    """Day of its latest whole run of today's suite; None where it has none."""
    next: date | None
    """The first day on which a run is due; None when no run was begun yet: due at once."""

    def is_due(self, day: date) -> bool:
        """Return whether a run is due on ``day``: never after the provider retired the model."""
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
    """Return when ``entry`` is due.

    Args:
        entry: the model, as models.toml describes it.
        runs: its runs of today's suite under one experiment, in the order in which they began.
            Runs of a part of the suite neither delay nor hasten the next.
        evals: the names of all evals of today's suite.
        today: where no release is known, age counts from the first run, or else from today.
        unfinished: the run to resume in place of a new run.
    """
    eval_names = set(evals)
    whole = [run for run in runs if eval_names <= set(run.planned)]
    last = next((run for run in reversed(whole) if not run.unjudged), None)
    day = last.date if last else None
    if unfinished is not None:
        return Schedule(entry, day, _next_try(unfinished))
    if last is None:
        return Schedule(entry, None, None)
    born = entry.released or runs[0].date
    # The next run asks for all answers, so it may cost more than a run that carried answers over.
    cost_usd = sum_answers(last.attempts).cost_usd
    return Schedule(entry, day, last.date + _interval(today - born, cost_usd))


def _interval(age: timedelta, cost_usd: float | None) -> timedelta:
    """Return the longer of the interval by age and the interval by cost."""
    by_age = min(max(age.days // AGE_PER_DAY, SHORTEST_DAYS), LONGEST_DAYS)
    return timedelta(days=max(by_age, _days_by_cost(cost_usd)))


def _days_by_cost(cost_usd: float | None) -> int:
    """Return 1 day up to $5 and 14 days from $50 on, in proportion between; 1 if not known."""
    if cost_usd is None:
        return SHORTEST_DAYS
    share = min(max((cost_usd - CHEAP_USD) / (DEAR_USD - CHEAP_USD), 0.0), 1.0)
    return round(SHORTEST_DAYS + share * (DEAR_DAYS - SHORTEST_DAYS))


def _next_try(run: Run) -> date:
    """Return the day on which a run goes on: at once where it was stopped or killed.

    Where attempts had no verdict, it waits as long as has been tried so far: 1 day, 2, 4, 8.
    """
    ended = run.finished_at.date() if run.finished_at else run.date
    if run.status != "completed":
        return ended
    duration = max(ended - run.date, timedelta(days=SHORTEST_DAYS))
    return ended + min(duration, OLDEST)
