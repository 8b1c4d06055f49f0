"""Runs of a model that nearly count: they lack verdicts on attempts that can be made again."""

from typing import NamedTuple

from generator.facts.site_data import SiteData
from generator.facts.urls import run_path
from generator.read.summaries import RunSummary


class Awaiting(NamedTuple):
    """A run that would count if some of its attempts were judged."""

    href: str
    unjudged: int
    """Attempts of the version's evals that were planned and have no verdict."""
    planned: int


def awaiting(site: SiteData, version: str, slug: str, experiment: str) -> Awaiting | None:
    """Return the run of a model, under an experiment, that lacks the fewest verdicts.

    None where every run that asked all evals of the version has all verdicts or was withdrawn.
    """
    evals = frozenset(site.suites[version])
    runs = [
        (lacking, run)
        for run in site.by_model.get(slug, ())
        if (run.version, run.experiment) == (version, experiment)
        and run.withdrawn is None
        and evals <= run.results.keys()
        and (lacking := _unjudged(run, evals))
    ]
    if not runs:
        return None
    # Of the versions that lack as few, the newest, which stands first.
    lacking, run = min(runs, key=lambda one: one[0])
    planned = sum(run.results[name].planned for name in evals)
    return Awaiting(run_path(run.run_id), lacking, planned)


def _unjudged(run: RunSummary, evals: frozenset[str]) -> int:
    return sum(run.results[name].planned - run.results[name].judged for name in evals)
