"""The page of one eval, and the list of all: what they ask and how well they measure."""

from collections.abc import Sequence
from typing import NamedTuple

from generator.read.summaries import category_of
from generator.render.environment import Frame
from generator.render.filters import publisher_href
from generator.scores.health import EvalHealth
from generator.scores.leaderboards import Leaderboard
from generator.site.data import SiteData
from generator.site.grading import GradingInWords, grading
from generator.site.guidelines_text import section_link
from generator.site.labels import category, eval_title
from generator.site.leaderboard import VersionHead, version
from generator.site.matrix import asked, solved_note
from generator.site.parts import Category, Link, Share, frame
from generator.site.rows.eval_models import field_rows
from generator.site.rows.notes import note_lines, notes_on
from generator.site.urls import eval_path


class Measure(NamedTuple):
    """How an eval measures within one benchmark version, over the models asked with guidelines."""

    version: Link
    share: Share
    """Passed out of judged, each model counting once."""
    correlation: float | None
    """Between passing this eval and the share of the other evals passed."""
    disagreement: float | None
    """Percent of pairs of attempts by one model that end differently."""
    repeated: int
    """Models with several attempts at it."""
    note: str
    """Solved by none or by one; else empty."""


class EvalPage(NamedTuple):
    """One eval: what it asks and how models fare at it."""

    template = "eval.html"

    frame: Frame
    name: str
    title: str
    category: Category
    category_href: str
    concept: str | None
    why: str | None
    task: str | None
    grading: GradingInWords | None
    """None where the suite does not have it."""
    publishers: Sequence[tuple[str, str]]
    """Name and address of the repositories, at a commit, that published results of it."""
    sections: Sequence[tuple[str, str | None]]
    """Of the guidelines that it exercises, each with where it stands."""
    versions: Sequence[Link]
    """The benchmark versions it is in."""
    measures: Sequence[Measure]
    """One for each version in which models were asked with guidelines."""
    rows: str
    """How each model under each experiment fared, HTML."""
    noted: int
    """Failures here that reports speak of."""
    notes: str
    """What they say, a line each, HTML."""


class HealthLine(NamedTuple):
    """An eval in the list of all evals."""

    name: str
    title: str
    href: str
    share: Share | None
    """None where no model was asked with guidelines."""
    disagreement: float | None
    """Percent of pairs of attempts by one model that end differently."""
    correlation: float | None
    noted: int
    """Failures that reports lay on the grader or the task."""
    note: str
    """Solved by none or by one; else empty."""


class HealthGroup(NamedTuple):
    """The evals of one category."""

    category: Category
    lines: Sequence[HealthLine]


class HealthPage(NamedTuple):
    """Every eval of one benchmark version and how it measures."""

    template = "evals.html"

    frame: Frame
    version: VersionHead
    models: int
    """Models asked with guidelines: those that it is over."""
    separating: int
    """Evals at which any two of them fare differently."""
    groups: Sequence[HealthGroup]


def eval_page(site: SiteData, name: str) -> EvalPage:
    """Gather the page of the eval called ``name``."""
    texts = site.texts.get(name)
    title = eval_title(site, name)
    having = [
        leaderboard
        for leaderboard in site.leaderboards.values()
        if name in leaderboard.benchmark.evals
    ]
    head = frame(
        title,
        eval_path(name),
        texts.concept if texts else f"How models fare at the eval {name}.",
    )
    front = having[0] if having else None
    key = category_of(name)
    notes = list(notes_on(site, name))
    return EvalPage(
        frame=head,
        name=name,
        title=title,
        category=category(key),
        category_href=f"{site.place(front.version)}categories/{key}/" if front else "evals/",
        concept=texts.concept if texts else None,
        why=texts.why if texts else None,
        task=texts.task if texts else None,
        grading=grading(texts) if texts else None,
        publishers=_publishers(site, name),
        sections=[(slug, section_link(site, slug)) for slug in (texts.guidelines if texts else ())],
        versions=[Link(site.version_href(one.version), site.titles[one.version]) for one in having],
        measures=measures(site, name),
        rows=field_rows(site, head.root, name, site.met.get(name, ())),
        noted=len(notes),
        notes=note_lines(head.root, notes),
    )


def _publishers(site: SiteData, name: str) -> list[tuple[str, str]]:
    """Return where those who published results of an eval keep it."""
    sources = {run.source for runs in site.met.get(name, ()) for run in runs if run.source}
    return sorted({place for source in sources if (place := publisher_href(source)) is not None})


def measures(site: SiteData, name: str) -> list[Measure]:
    """Return how an eval measures in each version, as scores of versions are never mixed."""
    return [
        Measure(
            version=Link(site.version_href(leaderboard.version), site.titles[leaderboard.version]),
            share=_share(found),
            correlation=found.correlation,
            disagreement=None if found.disagreement is None else 100 * found.disagreement,
            repeated=found.repeated,
            note=solved_note(found),
        )
        for leaderboard in site.leaderboards.values()
        if (found := leaderboard.health.get(name))
    ]


def health_page(site: SiteData, leaderboard: Leaderboard) -> HealthPage:
    """Gather the list of the evals of ``leaderboard``."""
    place = site.place(leaderboard.version)
    title = site.titles[leaderboard.version]
    groups = [
        HealthGroup(
            category(key),
            [_line(site, leaderboard, name) for name in leaderboard.evals(key)],
        )
        for key in leaderboard.categories()
    ]
    return HealthPage(
        frame=frame(
            "Evals",
            f"{place}evals/",
            f"The {len(leaderboard.evals())} evals of {title}, and how they measure.",
            "" if place else "evals",
        ),
        version=version(site, leaderboard, "evals/"),
        models=asked(leaderboard),
        separating=sum(one.separates for one in leaderboard.health.values()),
        groups=groups,
    )


def _line(site: SiteData, leaderboard: Leaderboard, name: str) -> HealthLine:
    health = leaderboard.health.get(name)
    return HealthLine(
        name=name,
        title=eval_title(site, name),
        href=eval_path(name),
        share=_share(health) if health else None,
        disagreement=(
            100 * health.disagreement if health and health.disagreement is not None else None
        ),
        correlation=health.correlation if health else None,
        noted=health.set_aside if health else 0,
        note=solved_note(health) if health else "",
    )


def _share(health: EvalHealth) -> Share:
    return Share(round(sum(health.rates), 9), health.models)
