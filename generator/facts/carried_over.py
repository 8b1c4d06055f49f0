"""The earlier runs that asked for answers of a run, for the run's pages."""

from collections import Counter
from datetime import date
from typing import NamedTuple

from generator.facts.site_basics import SiteBasics
from generator.facts.urls import build_attempt_anchor, build_run_path
from records.shapes.attempt import Attempt
from records.shapes.run import Run


class AskingRun(NamedTuple):
    """An earlier run, and the number of answers that come from it."""

    name: str
    """The first eight characters of the run's id."""
    href: str | None
    """The address of the run's page or of a row there; None if the run is not on the site."""
    date: date
    """The day on which the run began."""
    answers: int


def list_asking_runs(site: SiteBasics, run: Run) -> list[AskingRun]:
    """Return the earlier runs that asked for answers of ``run``, newest first."""
    origins = [attempt.carried_over for attempt in run.attempts]
    numbers = Counter((origin.asked_from, origin.run) for origin in origins if origin is not None)
    return [
        AskingRun(run_id[:8], _link_run(site, run_id), began.date(), numbers[began, run_id])
        for began, run_id in sorted(numbers, reverse=True)
    ]


def find_asking_run(site: SiteBasics, attempt: Attempt) -> AskingRun | None:
    """Return the earlier run that asked for an attempt's answer; None if its own run did."""
    origin = attempt.carried_over
    if origin is None:
        return None
    anchor = f"#{build_attempt_anchor(attempt.eval, attempt.sample)}"
    href = _link_run(site, origin.run)
    return AskingRun(origin.run[:8], href and href + anchor, origin.asked_from.date(), 1)


def _link_run(site: SiteBasics, run_id: str) -> str | None:
    return build_run_path(run_id) if run_id in site.recorded else None
