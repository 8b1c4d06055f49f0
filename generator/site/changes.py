"""The log of runs: what was added, graded again, corrected or withdrawn, and why."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from generator.read.summaries import RunSummary
from generator.render.environment import Frame
from generator.site.data import SiteData
from generator.site.labels import experiment
from generator.site.parts import ModelLink, frame, run_share
from generator.site.run_lines import linked, regraded_words, regradings
from generator.site.urls import run_path
from records.experiments import of_a_trial


class Change(NamedTuple):
    """What happened to a run on a day."""

    date: date
    kind: str
    """added, re-graded, corrected or withdrawn."""
    model: ModelLink
    run_id: str
    href: str
    """Of the run's page."""
    text: str


class ChangesPage(NamedTuple):
    """The log of runs."""

    template = "changes.html"

    frame: Frame
    changes: Sequence[Change]
    """Newest first."""


def changes_page(site: SiteData) -> ChangesPage:
    """Gather the log, newest first.

    Baselines are left out, whose runs say nothing of models, and editions of the guidelines, which
    never come into the tables.
    """
    changes = [
        one
        for run in site.summaries.runs
        if not of_a_trial(run.experiment) and not run.baseline
        for one in _of(run, site.version_title(run.version))
    ]
    return ChangesPage(
        frame=frame(
            "Changes",
            "changes/",
            "What was added to the tables, graded again, corrected or withdrawn, and why.",
            "changes",
        ),
        changes=sorted(changes, key=lambda one: one.date, reverse=True),
    )


def _of(run: RunSummary, version: str) -> Iterator[Change]:
    """Yield what happened to a run, the last first."""

    def change(day: date, kind: str, text: str) -> Change:
        return Change(day, kind, linked(run), run.run_id, run_path(run.run_id), text)

    if run.withdrawn is not None:
        yield change(run.date, "withdrawn", run.withdrawn)
    if run.corrected_passed is not None:
        text = f"Its publisher counts {run.corrected_passed} passes after mending graders."
        yield change(run.date, "corrected", text)
    for day, replaced in regradings(run):
        yield change(day, "re-graded", regraded_words(replaced))
    found = run_share(run)
    score = f"{found.passes} of {found.judged} passed" if found else "nothing judged"
    origin = " Published elsewhere." if run.source else ""
    yield change(run.date, "added", f"{experiment(run.experiment)}, {version}: {score}.{origin}")
