"""Runs that would count if all their attempts had verdicts."""

from typing import NamedTuple

from generator.facts.site_data import SiteData
from generator.facts.urls import build_run_path
from generator.read.summaries import RunSummary


class Awaiting(NamedTuple):
    """A run that would count if its unjudged attempts had verdicts."""

    href: str
    unjudged: int
    """The number of planned attempts without a verdict."""
    planned: int


def find_awaiting(site: SiteData, version: str, slug: str, experiment: str) -> Awaiting | None:
    """Return the run of a model under an experiment that lacks the fewest verdicts.

    Only runs that asked all evals of the version and were not withdrawn are considered; None if
    none of them lacks a verdict.
    """
    evals = frozenset(site.suites[version])
    runs = [
        (lacking, run)
        for run in site.by_model.get(slug, ())
        if (run.version, run.experiment) == (version, experiment)
        and run.withdrawn is None
        and evals <= run.results.keys()
        and (lacking := _count_unjudged(run, evals))
    ]
    if not runs:
        return None
    # Runs are sorted newest first, so `min` returns the newest of those that lack as few.
    lacking, run = min(runs, key=lambda lacking_and_run: lacking_and_run[0])
    planned = sum(run.results[name].planned for name in evals)
    return Awaiting(build_run_path(run.run_id), lacking, planned)


def _count_unjudged(run: RunSummary, evals: frozenset[str]) -> int:
    return sum(run.results[name].planned - run.results[name].judged for name in evals)
