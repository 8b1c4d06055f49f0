"""The errata: evals that were graded again after a change of their grading, and the effects."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import count
from typing import NamedTuple

from generator.facts.attributions import (
    Attribution,
    collect_attributions_and_mended,
    find_eval_attribution,
    find_sample_attribution,
)
from generator.facts.run_lines import link_model
from generator.facts.site_data import SiteData
from generator.facts.titles import describe_run_condition, find_eval_title
from generator.facts.urls import (
    Link,
    ModelLink,
    build_attempt_anchor,
    build_attempt_href,
    build_eval_path,
    build_page_frame,
    build_run_path,
)
from generator.read.summaries import ReplacedVerdict, RunSummary
from generator.render.environment import Frame
from records.shapes.attempt import Outcome

_CAUSES: Mapping[str, str] = {
    "grader": "the grader",
    "toolchain": "the toolchain",
    "answer": "how replies are read",
}


class MovedRun(NamedTuple):
    """The effect of an erratum on a run."""

    model: ModelLink
    experiment: str
    run: Link
    version_title: str
    attempts: Sequence[Link]
    """Links to the attempts, each with both verdicts, such as ``failed, now passed``."""
    attribution: Attribution | None
    """A report's attribution of the present or former failure; None without one."""
    points: float | None
    """Percentage points by which the run's score changed; None if an attempt had or has no
    verdict."""


class Erratum(NamedTuple):
    """An eval that was graded again after a change of its grading."""

    anchor: str
    eval: str
    title: str
    href: str
    date: date
    """The newest day on which runs were graded again."""
    causes: str
    """The changed parts in words, such as `the grader and the toolchain`."""
    why: str | None
    """The reason that a person gave for the new grading; None without a reason."""
    changed: int
    """The number of verdicts that changed."""
    verdicts: int
    """The number of all replaced verdicts, changed or not."""
    runs: Sequence[MovedRun]


class ErrataPage(NamedTuple):
    """The list of errata, newest first."""

    template = "pages/errata.html"

    frame: Frame
    errata: Sequence[Erratum]


_Key = tuple[str, str, tuple[str, ...], str | None]
"""The key of an erratum: eval, digest of the grader, causes, and reason."""


def build_errata_page(site: SiteData) -> ErrataPage:
    """Return the errata, newest first."""
    head = build_page_frame(
        "Errata",
        "errata/",
        "Evals whose grading was mended, the verdicts that changed, and what that moved.",
        "errata",
    )
    mended = sorted(
        _group_replaced(site).items(), key=lambda erratum: (_find_first_day(erratum[1]), erratum[0])
    )
    errata = [_build_erratum(site, key, runs) for key, runs in mended]
    # Numbered from the oldest, so that anchors stay the same when an erratum is added.
    number: dict[str, count[int]] = {}
    links = [
        erratum._replace(
            anchor=f"{erratum.anchor}-{next(number.setdefault(erratum.eval, count(1)))}"
        )
        for erratum in errata
    ]
    return ErrataPage(frame=head, errata=links[::-1])


def _find_first_day(runs: Mapping[str, Sequence[ReplacedVerdict]]) -> date:
    return min(verdict.date for verdicts in runs.values() for verdict in verdicts)


def _group_replaced(site: SiteData) -> dict[_Key, dict[str, list[ReplacedVerdict]]]:
    """Return the replaced verdicts by erratum, then by run.

    A verdict that stayed the same is left out, unless the grader changed.
    """
    by_key: dict[_Key, dict[str, list[ReplacedVerdict]]] = {}
    for run in site.summaries.runs:
        for verdict in run.regraded:
            if "grader" in verdict.causes or verdict.before != verdict.after:
                key = verdict.eval, verdict.grader, verdict.causes, verdict.why
                by_key.setdefault(key, {}).setdefault(run.run_id, []).append(verdict)
    return by_key


def _build_erratum(
    site: SiteData, key: _Key, runs: Mapping[str, Sequence[ReplacedVerdict]]
) -> Erratum:
    name, _, causes, why = key
    replaced = [verdict for verdicts in runs.values() for verdict in verdicts]
    moved = [
        _build_moved_run(site, site.runs[run_id], name, verdicts)
        for run_id, verdicts in runs.items()
    ]
    return Erratum(
        anchor=build_attempt_anchor(name, 1),
        eval=name,
        title=find_eval_title(site, name),
        href=build_eval_path(name),
        date=max(verdict.date for verdict in replaced),
        causes=" and ".join(_CAUSES[verdict] for verdict in causes) or "nothing that is recorded",
        why=why,
        changed=sum(verdict.before != verdict.after for verdict in replaced),
        verdicts=len(replaced),
        runs=sorted(
            moved,
            key=lambda verdict: (-abs(verdict.points or 0), verdict.model.name, verdict.run.href),
        ),
    )


def _build_moved_run(
    site: SiteData, run: RunSummary, name: str, verdicts: Sequence[ReplacedVerdict]
) -> MovedRun:
    run_attributions = collect_attributions_and_mended(site, run.run_id)
    about = [
        find_sample_attribution(run_attributions, name, verdict.sample) for verdict in verdicts
    ]
    return MovedRun(
        model=link_model(run),
        experiment=describe_run_condition(run),
        run=Link(build_run_path(run.run_id), run.run_id[:8]),
        version_title=site.find_version_title(run.version),
        attempts=[
            Link(
                build_attempt_href(run, name, verdict.sample),
                _describe_replaced_verdict(verdict, run),
            )
            for verdict in verdicts
        ],
        attribution=next(filter(None, about), None)
        or find_eval_attribution(run_attributions, name),
        points=_compute_points(run, name, verdicts),
    )


def _describe_replaced_verdict(verdict: ReplacedVerdict, run: RunSummary) -> str:
    sample = f"#{verdict.sample} " if run.results[verdict.eval].planned > 1 else ""
    if verdict.before == verdict.after:
        return f"{sample}{verdict.after}, as before"
    return f"{sample}{verdict.before}, now {verdict.after}"


def _compute_points(
    run: RunSummary, name: str, verdicts: Sequence[ReplacedVerdict]
) -> float | None:
    """Return the percentage points by which new verdicts at an eval changed the run's score.

    None if an attempt had or has no verdict.
    """
    infrastructure = Outcome.INFRASTRUCTURE.value
    if any(infrastructure in {verdict.before, verdict.after} for verdict in verdicts):
        return None  # an attempt did not count before, or does not count now
    passes = sum(_count_pass(verdict.after) - _count_pass(verdict.before) for verdict in verdicts)
    return 100 * passes / run.results[name].judged / run.tally.evals_judged


def _count_pass(outcome: str) -> int:
    return int(outcome == Outcome.PASSED.value)
