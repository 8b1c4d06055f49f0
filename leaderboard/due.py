"""Which models are due for a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from records.experiments import DEFAULT
from records.registry import ModelEntry
from records.run import Run

YOUNG: Final = timedelta(days=90)
"""A model younger than this is run more often: its provider still changes it."""
YOUNG_EVERY: Final = timedelta(days=14)
OLD_EVERY: Final = timedelta(days=45)
DEAR_USD: Final = 20.0
"""A run that cost more than this is made half as often."""


@dataclass(frozen=True, slots=True)
class Due:
    """Where a model stands."""

    entry: ModelEntry
    last: date | None
    """Day of its latest run of today's suite, guidelines given."""
    next: date | None
    """When the next is due; None when it never ran."""

    def on(self, day: date) -> bool:
        """Say whether a run is due on ``day``."""
        return self.next is None or self.next <= day


def standing(entry: ModelEntry, latest: Mapping[tuple[str, str], Run], today: date) -> Due:
    """Tell when a model was last run, and when it is due."""
    run = latest.get((entry.slug, DEFAULT))
    if run is None:
        return Due(entry, None, None)
    young = entry.released is not None and today - entry.released < YOUNG
    every = YOUNG_EVERY if young else OLD_EVERY
    if run.totals.cost_usd is not None and run.totals.cost_usd > DEAR_USD:
        every *= 2
    return Due(entry, run.date, run.date + every)
