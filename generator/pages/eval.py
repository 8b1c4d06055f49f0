"""The page of one eval: its task, its grading and its measures."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from generator.blocks.eval_grading import GradingInWords, grader_href, grading
from generator.blocks.eval_notes import EvalNote, eval_notes
from generator.blocks.eval_rows import field_rows
from generator.blocks.failing_tests import FailingPlaces, failing_places
from generator.blocks.matrix_head import solved_note
from generator.facts.attributions import CLASSES
from generator.facts.guidelines_sections import section_link
from generator.facts.links import Category, Link
from generator.facts.page_frame import frame
from generator.facts.shares import Share, health_share
from generator.facts.site_data import SiteData
from generator.facts.titles import category, eval_title
from generator.facts.urls import attempt_href, eval_path
from generator.read.summaries import category_of
from generator.render.environment import Frame
from generator.render.template_filters import PublishedTree, published_tree
from records.shapes.failure_classes import FailureClass

_BRANCH: Final = "main"
"""Branch of the repository: pages of evals show the suite as it is now."""


_REFERENCE: Final = "baseline/oracle"
"""The baseline that hands in reference answers."""


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


class PublishedEval(NamedTuple):
    """Where a publisher of results keeps an eval."""

    label: str
    href: str
    """Address of the eval's folder, or of the whole repository, at the commit of the results."""
    whole: bool
    """The address is the whole repository's: the eval's place in it is not known."""


class EvalPage(NamedTuple):
    """One eval: its task and how models fare at it."""

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
    """None where the suite does not have it."""
    grader: str | None
    """Address of the grader's file, outside of the site; None where the suite does not have it."""
    publishers: Sequence[PublishedEval]
    """Where those keep it who published results of it."""
    sections: Sequence[tuple[str, str | None]]
    """Sections of the guidelines that it exercises, each with its address."""
    versions: Sequence[Link]
    """The benchmark versions it is in."""
    measures: Sequence[Measure]
    """One for each version in which models were asked with guidelines."""
    reference_failed: Link | None
    """The attempt, where the reference failed in the newest run that handed it in."""
    failing: FailingPlaces | None
    """None where no model fails it."""
    rows: str
    """How each model under each experiment fared, HTML."""
    notes: Sequence[EvalNote]
    """Notes of reports on failures here; failures not laid on the model alone come first."""
    classes: Sequence[tuple[str, int]]
    """How many of them are of each class, in the same order."""


def eval_page(site: SiteData, name: str) -> EvalPage:
    """Gather the page of the eval called ``name``."""
    texts = site.texts.get(name)
    title = eval_title(site, name)
    having = [
        leaderboard
        for leaderboard in site.leaderboards.values()
        if name in leaderboard.benchmark.evals
    ]
    key = category_of(name)
    head = frame(
        f"{title}, {category(key).label.lower()}",
        eval_path(name),
        (texts and texts.concept) or f"How models fare at the eval {name}.",
    )
    front = having[0] if having else None
    fault, _ = CLASSES[FailureClass.MODEL_FAULT]
    notes = sorted(eval_notes(site, name), key=lambda one: one.attribution.kind == fault)
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
        grader=grader_href(site, name, _BRANCH) if texts else None,
        publishers=_publishers(site, name),
        sections=[(slug, section_link(site, slug)) for slug in (texts.guidelines if texts else ())],
        versions=[
            Link(site.version_href(board.version), site.titles[board.version]) for board in having
        ],
        measures=measures(site, name),
        reference_failed=_reference_failed(site, name),
        failing=failing_places(site, name),
        rows=field_rows(site, head.root, name, site.met.get(name, ())),
        notes=notes,
        classes=list(Counter(note.attribution.kind for note in notes).items()),
    )


def _reference_failed(site: SiteData, name: str) -> Link | None:
    """Return the attempt of the reference, where the newest run that handed it in failed."""
    runs = [
        run
        for same_version in site.met.get(name, ())
        for run in same_version
        if run.slug == _REFERENCE
    ]
    newest = max(runs, key=lambda run: (run.began, run.run_id), default=None)
    if newest is None or newest.results[name].passed == newest.results[name].judged:
        return None
    return Link(attempt_href(newest, name), f"run of {newest.date}")


def _publishers(site: SiteData, name: str) -> list[PublishedEval]:
    """Return where publishers of results keep an eval."""
    sources = {run.source for runs in site.met.get(name, ()) for run in runs if run.source}
    trees = {tree for source in sources if (tree := published_tree(source)) is not None}
    return [_published(site, tree, name) for tree in sorted(trees)]


def _published(site: SiteData, tree: PublishedTree, name: str) -> PublishedEval:
    label = f"{tree.repository}@{tree.commit}"
    folder = site.settings.eval_folders.get(tree.repository)
    if folder is None:
        return PublishedEval(label, tree.href(), whole=True)
    return PublishedEval(f"{label}: {folder}/{name}", tree.href(f"{folder}/{name}"), whole=False)


def measures(site: SiteData, name: str) -> list[Measure]:
    """Return how an eval measures in each version, as scores of versions are never mixed."""
    return [
        Measure(
            version=Link(site.version_href(leaderboard.version), site.titles[leaderboard.version]),
            share=health_share(health),
            correlation=health.correlation,
            disagreement=None if health.disagreement is None else 100 * health.disagreement,
            repeated=health.repeated,
            note=solved_note(health),
        )
        for leaderboard in site.leaderboards.values()
        if (health := leaderboard.health.get(name))
    ]
