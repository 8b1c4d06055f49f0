"""The day of a run in words: of some imports only the day of the import is known."""

import datetime as dt
from typing import Protocol


class DatedRun(Protocol):
    """A run with its day."""

    @property
    def date(self) -> dt.date:
        """The day on which the run began, or was imported."""
        ...

    @property
    def day_of_import(self) -> bool:
        """Whether the day is that of the import, because the source names none."""
        ...


def describe_day(run: DatedRun) -> str:
    """Return the day of a run, such as ``2026-11-27`` or ``imported 2026-11-27``."""
    return f"imported {run.date}" if run.day_of_import else f"{run.date}"


def describe_dated_run(run: DatedRun) -> str:
    """Return ``run of`` and its day, or ``run imported`` and the day of the import."""
    return f"run {describe_day(run)}" if run.day_of_import else f"run of {run.date}"


def describe_when(run: DatedRun) -> str:
    """Return when a run passed or failed its evals, as a part of a sentence."""
    return f"in a {describe_dated_run(run)}" if run.day_of_import else f"on {run.date}"
