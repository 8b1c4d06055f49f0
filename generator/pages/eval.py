"""The page of an eval: its task, its grading and its results."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from generator.blocks.eval_grading import GradingInWords, build_grader_href, describe_grading
from generator.blocks.eval_notes import EvalNote, build_eval_notes
from generator.blocks.eval_rows import render_eval_rows
from generator.blocks.failing_tests import FailingPlaces, find_failing_places
from generator.blocks.matrix_head import describe_solvers
from generator.facts.attributions import CLASSES
from generator.facts.shares import Share, compute_health_share
from generator.facts.site_data import SiteData, find_section_href
from generator.facts.titles import build_category, find_eval_title
from generator.facts.urls import (
    Category,
    Link,
    build_attempt_href,
    build_eval_path,
    build_page_frame,
)
from generator.read.summaries import get_category_key
from generator.render.environment import Frame
from generator.render.template_filters import PublishedTree, find_published_tree
from generator.scores.health import EvalHealth
from records.shapes.failure_classes import FailureClass
from records.text.run_days import describe_dated_run

_BRANCH: Final = "main"
"""The branch of the repository that pages of evals link, because they show the present suite."""


_REFERENCE: Final = "baseline/oracle"
"""The slug of the baseline that hands in the reference answers."""


class Measure(NamedTuple):
    """The health of an eval in a benchmark version, over the models asked with guidelines."""

    version: Link
    share: Share
    """The share of models that pass, each counted once."""
    health: EvalHealth
    note: str
    """A remark if no model passes the eval, or only one; else empty."""


class PublishedEval(NamedTuple):
    """A link to an eval in the repository of a publisher of results."""

    label: str
    href: str
    """The address of the eval's folder, or of the repository, at the commit of the results."""
    whole: bool
    """Whether the address is of the whole repository, because the eval's folder is not known."""


class EvalPage(NamedTuple):
    """The page of an eval: its task, its grading and its results."""

    template = "pages/eval.html"

    frame: Frame
    name: str
    title: str
    category: Category
    category_href: str
    concept: str | None
    why: str | None
    task: str | None
    grading: GradingInWords | None
    """None if the suite does not have the eval."""
    grader: str | None
    """The address of the grader in the repository; None if it does not have the eval."""
    publishers: Sequence[PublishedEval]
    """Links to the eval in the repositories of publishers of results."""
    sections: Sequence[tuple[str, str | None]]
    """The sections of the guidelines that the eval exercises, each with its address if known."""
    versions: Sequence[Link]
    """The benchmark versions with this eval."""
    measures: Sequence[Measure]
    """The health of the eval, for each version in which models were asked with guidelines."""
    reference_failed: Link | None
    """The attempt of the reference answer, if it failed in its newest run; else None."""
    failing: FailingPlaces | None
    """None if no model fails the eval."""
    rows: str
    """A row for each model, version and experiment, as HTML."""
    notes: Sequence[EvalNote]
    """The notes of reports on failures at the eval; failures that are the model's are last."""
    classes: Sequence[tuple[str, int]]
    """The number of notes by class of failure, in the order of the notes."""


def build_eval_page(site: SiteData, name: str) -> EvalPage:
    """Return the page of the eval called ``name``."""
    texts = site.texts.get(name)
    title = find_eval_title(site, name)
    having = [
        leaderboard
        for leaderboard in site.leaderboards.values()
        if name in leaderboard.benchmark.evals
    ]
    key = get_category_key(name)
    head = build_page_frame(
        f"{title}, {build_category(key).label.lower()}",
        build_eval_path(name),
        (texts and texts.concept) or f"How models fare at the eval {name}.",
        guidelines=name not in site.imported_titles,
    )
    front = having[0] if having else None
    fault, _ = CLASSES[FailureClass.MODEL_FAULT]
    notes = sorted(build_eval_notes(site, name), key=lambda note: note.attribution.kind == fault)
    return EvalPage(
        frame=head,
        name=name,
        title=title,
        category=build_category(key),
        category_href=f"{site.find_version_folder(front.version)}categories/{key}/"
        if front
        else "evals/",
        concept=texts.concept if texts else None,
        why=texts.why if texts else None,
        task=texts.task if texts else None,
        grading=describe_grading(texts) if texts else None,
        grader=build_grader_href(site, name, _BRANCH) if texts else None,
        publishers=_link_publishers(site, name),
        sections=[
            (slug, find_section_href(site, slug)) for slug in (texts.guidelines if texts else ())
        ],
        versions=[
            Link(site.build_version_href(board.version), site.titles[board.version])
            for board in having
        ],
        measures=build_measures(site, name),
        reference_failed=_find_failed_reference(site, name),
        failing=find_failing_places(site, name),
        rows=render_eval_rows(site, head.root, name, site.met.get(name, ())),
        notes=notes,
        classes=list(Counter(note.attribution.kind for note in notes).items()),
    )


def _find_failed_reference(site: SiteData, name: str) -> Link | None:
    """Return the attempt of the reference answer, if it failed in its newest run; else None."""
    runs = [
        run
        for same_version in site.met.get(name, ())
        for run in same_version
        if run.slug == _REFERENCE
    ]
    newest = max(runs, key=lambda run: (run.began, run.run_id), default=None)
    if newest is None or newest.results[name].passed == newest.results[name].judged:
        return None
    return Link(build_attempt_href(newest, name), describe_dated_run(newest))


def _link_publishers(site: SiteData, name: str) -> list[PublishedEval]:
    """Return links to an eval in the repositories of publishers of results."""
    sources = {run.source for runs in site.met.get(name, ()) for run in runs if run.source}
    trees = {tree for source in sources if (tree := find_published_tree(source)) is not None}
    return [_link_publisher(site, tree, name) for tree in sorted(trees)]


def _link_publisher(site: SiteData, tree: PublishedTree, name: str) -> PublishedEval:
    label = f"{tree.repository}@{tree.commit}"
    folder = site.settings.eval_folders.get(tree.repository)
    if folder is None:
        return PublishedEval(label, tree.build_href(), whole=True)
    return PublishedEval(
        f"{label}: {folder}/{name}", tree.build_href(f"{folder}/{name}"), whole=False
    )


def build_measures(site: SiteData, name: str) -> list[Measure]:
    """Return the health of an eval in each version separately, since versions are never mixed."""
    return [
        Measure(
            version=Link(
                site.build_version_href(leaderboard.version), site.titles[leaderboard.version]
            ),
            share=compute_health_share(health),
            health=health,
            note=describe_solvers(health),
        )
        for leaderboard in site.leaderboards.values()
        if (health := leaderboard.health.get(name))
    ]
