"""Schedule of models: whether one is due for a run of the whole suite with guidelines."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import takewhile
from typing import Final

from records.registry import ModelEntry
from records.run import Run

SHORTEST_DAYS: Final = 1
LONGEST_DAYS: Final = 60
AGE_PER_DAY: Final = 6
"""A model waits one day for each six days of its age: 1 in its first week, 60 after a year."""
CHEAP_USD: Final = 5.0
"""A run at this price or below lengthens no interval."""
DEAR_USD: Final = 50.0
"""A run at this price or above is made once in `DEAR_DAYS`, however young the model is."""
DEAR_DAYS: Final = 14
LONGEST_COOL_DOWN_DAYS: Final = 14


@dataclass(frozen=True, slots=True)
class Schedule:
    """The latest whole run of a model, and the day of its next."""

    entry: ModelEntry
    last: date | None
    """Day of its latest whole run of today's suite with guidelines; None where it has none."""
    next: date | None
    """The first day on which a run is due; None when no run was begun yet: due at once."""

    def is_due(self, day: date) -> bool:
        """Say whether a run is due on ``day``."""
        return self.next is None or self.next <= day


def schedule(
    entry: ModelEntry, runs: Sequence[Run], evals: Collection[str], today: date
) -> Schedule:
    """Return when ``entry`` is due.

    Args:
        entry: the model, as models.toml describes it.
        runs: its runs of today's suite with guidelines, in the order in which they began. Runs of
            a part of the suite neither delay nor hasten the next.
        evals: the names of all evals of today's suite.
        today: where no release is known, age counts from the first run, or else from today.
    """
    wanted = set(evals)
    whole = [run for run in runs if wanted <= set(run.planned)]
    last = next((run for run in reversed(whole) if not run.unjudged), None)
    failed = list(takewhile(lambda run: run.unjudged > 0, reversed(whole)))
    days: list[date] = []
    if last is not None:
        born = entry.released or runs[0].date
        days.append(last.date + _interval(today - born, last.totals.cost_usd))
    if failed:
        days.append(failed[0].date + _cool_down(len(failed)))
    return Schedule(entry, last.date if last else None, max(days, default=None))


def _interval(age: timedelta, cost_usd: float | None) -> timedelta:
    """Return the longer of what the age and what the cost of a run ask for."""
    by_age = min(max(age.days // AGE_PER_DAY, SHORTEST_DAYS), LONGEST_DAYS)
    return timedelta(days=max(by_age, _days_by_cost(cost_usd)))


def _days_by_cost(cost_usd: float | None) -> int:
    """Return 1 day up to $5 and 14 days from $50 on, in proportion between; 1 if not known."""
    if cost_usd is None:
        return SHORTEST_DAYS
    share = min(max((cost_usd - CHEAP_USD) / (DEAR_USD - CHEAP_USD), 0.0), 1.0)
    return round(SHORTEST_DAYS + share * (DEAR_DAYS - SHORTEST_DAYS))


def _cool_down(failed_runs: int) -> timedelta:
    """Return 1 day after one run that reached no verdicts, and twice as long with each more."""
    doublings = min(failed_runs - 1, LONGEST_COOL_DOWN_DAYS)
    return timedelta(days=min(2**doublings, LONGEST_COOL_DOWN_DAYS))
