"""Errata: evals whose grader was mended after runs had been graded by it, and what that moved."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import count
from typing import NamedTuple

from generator.read.summaries import ReplacedVerdict, RunSummary
from generator.render.environment import Frame
from generator.site.attributions import (
    Attribution,
    attribution_of,
    attribution_of_any,
    attributions_and_mended,
)
from generator.site.data import SiteData
from generator.site.labels import eval_title, experiment
from generator.site.parts import Link, ModelLink, frame
from generator.site.run_lines import linked
from generator.site.urls import attempt_anchor, attempt_href, eval_path, run_path
from records.attempt import Outcome

_CAUSES: Mapping[str, str] = {
    "grader": "the grader",
    "toolchain": "the toolchain",
    "answer": "how replies are read",
}


class MovedRun(NamedTuple):
    """What a mended eval changed for one run."""

    model: ModelLink
    experiment: str
    run: Link
    version_title: str
    attempts: Sequence[Link]
    """Attempts with what was said before and after, such as ``failed, now passed``."""
    attribution: Attribution | None
    """What a report says, or said, of the failure."""
    points: float | None
    """Percentage points by which the run's score moved; None where the eval was not judged
    before."""


class Erratum(NamedTuple):
    """An eval that was graded again because something about its grading changed."""

    anchor: str
    eval: str
    title: str
    href: str
    date: date
    """The newest day on which runs were graded again."""
    causes: str
    """What changed: the grader, the toolchain."""
    why: str | None
    """In words of whoever graded again; None where nobody said."""
    changed: int
    """Verdicts that are other ones now."""
    verdicts: int
    """Verdicts that were reached again."""
    runs: Sequence[MovedRun]


class ErrataPage(NamedTuple):
    """Every mended eval, newest first."""

    template = "errata.html"

    frame: Frame
    errata: Sequence[Erratum]


_Key = tuple[str, str, tuple[str, ...], str | None]
"""What makes one erratum: eval, digest of the grader, causes, and the reason that was given."""


def errata_page(site: SiteData) -> ErrataPage:
    """Gather the errata, newest first."""
    head = frame(
        "Errata",
        "errata/",
        "Evals whose grading was mended, the verdicts that changed, and what that moved.",
        "errata",
    )
    mended = sorted(_mended(site).items(), key=lambda one: (_first_day(one[1]), one[0]))
    found = [_erratum(site, key, runs) for key, runs in mended]
    # Numbered from the oldest, so that an anchor stays what it is when another is added.
    number: dict[str, count[int]] = {}
    named = [
        one._replace(anchor=f"{one.anchor}-{next(number.setdefault(one.eval, count(1)))}")
        for one in found
    ]
    return ErrataPage(frame=head, errata=named[::-1])


def _first_day(runs: Mapping[str, Sequence[ReplacedVerdict]]) -> date:
    return min(one.date for verdicts in runs.values() for one in verdicts)


def _mended(site: SiteData) -> dict[_Key, dict[str, list[ReplacedVerdict]]]:
    """Return the verdicts that were replaced by what replaced them, then by run.

    Left out is what was graded again for another reason than its grader and came out the same.
    """
    found: dict[_Key, dict[str, list[ReplacedVerdict]]] = {}
    for run in site.summaries.runs:
        for one in run.regraded:
            if "grader" in one.causes or one.before != one.after:
                key = one.eval, one.grader, one.causes, one.why
                found.setdefault(key, {}).setdefault(run.run_id, []).append(one)
    return found


def _erratum(site: SiteData, key: _Key, runs: Mapping[str, Sequence[ReplacedVerdict]]) -> Erratum:
    name, _, causes, why = key
    replaced = [one for verdicts in runs.values() for one in verdicts]
    moved = [_moved(site, site.runs[run_id], name, verdicts) for run_id, verdicts in runs.items()]
    return Erratum(
        anchor=attempt_anchor(name, 1),
        eval=name,
        title=eval_title(site, name),
        href=eval_path(name),
        date=max(one.date for one in replaced),
        causes=" and ".join(_CAUSES[one] for one in causes) or "nothing that is recorded",
        why=why,
        changed=sum(one.before != one.after for one in replaced),
        verdicts=len(replaced),
        runs=sorted(moved, key=lambda one: (-abs(one.points or 0), one.model.name, one.run.href)),
    )


def _moved(
    site: SiteData, run: RunSummary, name: str, verdicts: Sequence[ReplacedVerdict]
) -> MovedRun:
    said = attributions_and_mended(site, run.run_id)
    about = [attribution_of(said, name, one.sample) for one in verdicts]
    return MovedRun(
        model=linked(run),
        experiment=experiment(run.experiment),
        run=Link(run_path(run.run_id), run.run_id[:8]),
        version_title=site.version_title(run.version),
        attempts=[Link(attempt_href(run, name, one.sample), _words(one, run)) for one in verdicts],
        attribution=next(filter(None, about), None) or attribution_of_any(said, name),
        points=_points(run, name, verdicts),
    )


def _words(one: ReplacedVerdict, run: RunSummary) -> str:
    sample = f"#{one.sample} " if run.results[one.eval].planned > 1 else ""
    if one.before == one.after:
        return f"{sample}{one.after}, as before"
    return f"{sample}{one.before}, now {one.after}"


def _points(run: RunSummary, name: str, verdicts: Sequence[ReplacedVerdict]) -> float | None:
    """Return by how many points the run's score, a mean over evals of passes, moved."""
    infrastructure = Outcome.INFRASTRUCTURE.value
    if any(infrastructure in {one.before, one.after} for one in verdicts):
        return None  # the eval did not count before, or does not now
    passes = sum(_passed(one.after) - _passed(one.before) for one in verdicts)
    return 100 * passes / run.results[name].judged / run.tally.evals_judged


def _passed(outcome: str) -> int:
    return int(outcome == Outcome.PASSED.value)
