"""The log of runs: what was added, graded again, corrected or withdrawn, why, and what it did."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from generator.read.summaries import ReplacedVerdict, RunSummary
from generator.render.environment import Frame
from generator.scores.leaderboards import Leaderboard
from generator.scores.ranks import RankRange
from generator.site.data import SiteData
from generator.site.labels import experiment
from generator.site.parts import ModelLink, frame, run_share
from generator.site.run_lines import linked, regraded_words, regradings
from generator.site.urls import run_path
from records.experiments import of_a_trial


class Change(NamedTuple):
    """What happened to a run."""

    kind: str
    """added, re-graded, corrected or withdrawn."""
    model: ModelLink
    run_id: str
    href: str
    """Of the run's page."""
    text: str
    did: str
    """What it did to the table, such as ``now 1 to 4 of 6``; empty where no record tells."""


class ChangesOfADay(NamedTuple):
    """What happened to runs on one day."""

    date: date
    changes: Sequence[Change]


class ChangesPage(NamedTuple):
    """The log of runs."""

    template = "changes.html"

    frame: Frame
    days: Sequence[ChangesOfADay]
    """Newest first."""
    imported: int
    """Runs of the log that others published."""
    own: int
    """Runs of the log that this project made."""
    baselines: int
    """Runs of baselines, which are not in it."""
    editions: int
    """Runs that tried an edition of the guidelines, which are not in it."""


@dataclass(frozen=True)
class _Place:
    """Where a run that counts stands in its table."""

    rank: RankRange | None
    """Of the run's model now, among the models under its experiment; None where they have none."""
    models: int
    before: RunSummary | None
    """The run that counts and came before it."""
    newest: bool
    """Whether it is the model's newest run that counts."""


def changes_page(site: SiteData) -> ChangesPage:
    """Gather the log, newest first.

    Baselines are left out, whose runs say nothing of models, and editions of the guidelines, which
    never come into the tables.
    """
    places = {
        run_id: place
        for leaderboard in site.leaderboards.values()
        for run_id, place in _places(leaderboard)
    }
    runs = site.summaries.runs
    editions = sum(of_a_trial(run.experiment) for run in runs)
    listed = [run for run in runs if not of_a_trial(run.experiment) and not run.baseline]
    changes = [one for run in listed for one in _of(site, run, places)]
    imported = sum(run.source is not None for run in listed)
    return ChangesPage(
        frame=frame(
            "Changes",
            "changes/",
            "What was added to the tables, graded again, corrected or withdrawn, and what it did.",
            "changes",
        ),
        days=[
            ChangesOfADay(day, [change for _, change in found])
            for day, found in groupby(
                sorted(changes, key=itemgetter(0), reverse=True), key=itemgetter(0)
            )
        ],
        imported=imported,
        own=len(listed) - imported,
        baselines=len(runs) - len(listed) - editions,
        editions=editions,
    )


def _places(leaderboard: Leaderboard) -> Iterator[tuple[str, _Place]]:
    """Yield the id and place of every run that counts."""
    models = leaderboard.models()
    under = Counter(one.newest.experiment for one in models)
    for entry in models:
        for run, before in zip(entry.runs, [*entry.runs[1:], None], strict=True):
            place = _Place(
                entry.row.rank, under[run.experiment], before, newest=run is entry.newest
            )
            yield run.run_id, place


def _of(
    site: SiteData, run: RunSummary, places: Mapping[str, _Place]
) -> Iterator[tuple[date, Change]]:
    """Yield what happened to a run, each with its day, the last first."""

    def change(day: date, kind: str, text: str, did: str) -> tuple[date, Change]:
        return day, Change(kind, linked(run), run.run_id, run_path(run.run_id), text, did)

    if run.withdrawn is not None:
        yield change(run.date, "withdrawn", run.withdrawn, _left(site, run))
    if run.corrected_passed is not None:
        text = f"Its publisher counts {run.corrected_passed} passes after mending graders."
        did = f"the score here stays that of {run.tally.passed} passes"
        yield change(run.date, "corrected", text, did)
    for day, replaced in regradings(run):
        yield change(day, "re-graded", regraded_words(replaced), _turned(replaced))
    found = run_share(run)
    score = f"{found.passes} of {found.judged} passed" if found else "nothing judged"
    origin = " Published elsewhere." if run.source else ""
    text = f"{experiment(run.experiment)}, {site.version_title(run.version)}: {score}.{origin}"
    place = places.get(run.run_id)
    yield change(run.date, "added", text, _entered(run, place) if place else "")


def _entered(run: RunSummary, place: _Place) -> str:
    """Say what a run that counts gave: its share and that of the run before, the rank now."""
    said: list[str] = []
    now, before = run_share(run), run_share(place.before) if place.before else None
    if now and before:
        said.append(f"{now.percent:.1f}% passed, {before.percent:.1f}% in the run before")
    if place.newest and place.rank is not None:
        said.append(f"now {place.rank.words} of {place.models}")
    return ", ".join(said)


def _left(site: SiteData, run: RunSummary) -> str:
    """Say what is left of a withdrawn run's model under its version and experiment."""
    leaderboard = site.leaderboards.get(run.version)
    if leaderboard is None:
        return ""
    entry = leaderboard.find(run.slug, run.experiment)
    if entry is None:
        return "no run of it counts now"
    others = len(entry.runs)
    return "1 other run counts" if others == 1 else f"{others} other runs count"


def _turned(replaced: Sequence[ReplacedVerdict]) -> str:
    """Say which outcomes a day's gradings turned into which, by attempt from first to last."""
    first: dict[tuple[str, int], str] = {}
    last: dict[tuple[str, int], str] = {}
    for one in replaced:
        first.setdefault((one.eval, one.sample), one.before)
        last[one.eval, one.sample] = one.after
    turned = Counter((first[key], last[key]) for key in first if first[key] != last[key])
    return ", ".join(
        f"{number} {before} \N{RIGHTWARDS ARROW} {after}"
        for (before, after), number in turned.most_common()
    )
