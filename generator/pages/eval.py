"""The page of an eval: its task, its grading and its results."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from generator.blocks.eval_grading import build_grader_href, describe_grading
from generator.blocks.matrix_cells import describe_solvers
from generator.facts import urls
from generator.facts.attributions import CLASSES, collect_attributions, find_eval_attribution
from generator.facts.shares import compute_health_share, compute_share
from generator.facts.site_data import SiteData, find_section_href
from generator.facts.titles import SYMBOLS, build_category, describe_run_condition, find_eval_title
from generator.read.summaries import EvalResult, RunSummary, get_category_key
from generator.render.environment import PageContext, Row
from generator.render.template_filters import find_published_tree
from records.shapes.attempt import StepName
from records.shapes.failure_classes import FailureClass
from records.suites.experiments import DEFAULT
from records.text.run_days import describe_dated_run, describe_day

_NAMED: Final = 8
"""The most models that a row names; further models are only counted."""
_UNKNOWN_STEP: Final = "step not published"
_BRANCH: Final = "main"
"""The branch of the repository that pages of evals link, because they show the present suite."""
_REFERENCE: Final = "baseline/oracle"
"""The slug of the baseline that hands in the reference answers."""


def build_eval_page(site: SiteData, name: str) -> PageContext:
    """Return the page of the eval called ``name``."""
    texts = site.texts.get(name)
    title, category = find_eval_title(site, name), build_category(get_category_key(name))
    boards = site.leaderboards.values()
    having = [board for board in boards if name in board.benchmark.evals]
    fault, _ = CLASSES[FailureClass.MODEL_FAULT]
    notes = sorted(build_eval_notes(site, name), key=lambda note: note.attribution.kind == fault)
    groups = site.met.get(name, ())
    references = [run for runs in groups for run in runs if run.slug == _REFERENCE]
    newest = max(references, key=lambda run: (run.began, run.run_id), default=None)
    has_failed = newest and newest.results[name].passed < newest.results[name].judged
    sources = {run.source for runs in groups for run in runs if run.source}
    trees = {tree for source in sources if (tree := find_published_tree(source)) is not None}
    publishers: list[Row] = []
    for tree in sorted(trees):
        folder = site.settings.eval_folders.get(tree.repository)
        below = "" if folder is None else f"{folder}/{name}"
        label = f"{tree.repository}@{tree.commit}" + (f": {below}" if below else "")
        # Whole: the address is of the whole repository, because the eval's folder is not known.
        publishers.append(Row(label=label, href=tree.build_href(below), whole=not below))
    return PageContext(
        "pages/eval.html",
        frame=urls.build_page_frame(
            f"{title}, {category.label.lower()}",
            urls.build_eval_path(name),
            (texts and texts.concept) or f"How models fare at the eval {name}.",
            guidelines=name not in site.imported_titles,
        ),
        name=name,
        title=title,
        category=category,
        category_href=f"{site.find_version_folder(having[0].version)}categories/{category.key}/"
        if having
        else "evals/",
        concept=texts and texts.concept,
        why=texts and texts.why,
        task=texts and texts.task,
        grading=texts and describe_grading(texts),
        grader=texts and build_grader_href(site, name, _BRANCH),
        publishers=publishers,
        sections=[
            (slug, find_section_href(site, slug)) for slug in (texts.guidelines if texts else ())
        ],
        versions=[_link_version(site, board.version) for board in having],
        # In each version separately, since versions are never mixed.
        measures=[
            Row(
                version=_link_version(site, board.version),
                share=compute_health_share(health),
                health=health,
                note=describe_solvers(health),
            )
            for board in boards
            if (health := board.health.get(name))
        ],
        reference_failed=urls.Link(
            urls.build_attempt_href(newest, name), describe_dated_run(newest)
        )
        if newest and has_failed
        else None,
        failing=find_failing_places(site, name),
        rows=[_build_row(name, runs, _link_version(site, runs[0].version)) for runs in groups],
        notes=notes,
        classes=list(Counter(note.attribution.kind for note in notes).items()),
    )


def _link_version(site: SiteData, version: str) -> urls.Link:
    return urls.Link(site.build_version_href(version), site.find_version_title(version))


def find_failing_places(site: SiteData, name: str) -> Row | None:
    """Return where answers to an eval fail, in the newest version with a failing model.

    Only the newest run of each model is used. None if no model that was asked with guidelines fails
    the eval.
    """
    for leaderboard in site.leaderboards.values():
        # Other tools do not name a step.
        is_known = name in leaderboard.health and not leaderboard.is_of_other_tool
        runs = [model.newest for model in leaderboard.select_models(DEFAULT) if is_known]
        failing = [run for run in runs if run.results[name].passed < run.results[name].judged]
        if failing:
            return Row(
                version=_link_version(site, leaderboard.version),
                models=len(runs),
                failing=len(failing),
                places=[*_build_places(site, failing, name)],
            )
    return None


def _build_places(site: SiteData, failing: Sequence[RunSummary], name: str) -> Iterator[Row]:
    """Yield the failed steps in their order; after `tests` its tests, most often failed first."""
    steps: dict[str, list[urls.Link]] = {}
    tests: dict[str, list[urls.Link]] = {}
    for run in failing:
        step = run.results[name].failed_step or _UNKNOWN_STEP
        steps.setdefault(step, []).append(urls.Link(urls.build_attempt_href(run, name), run.name))
        for test, sample in run.failed_tests.get(name, ()):
            tests.setdefault(test, []).append(
                urls.Link(urls.build_attempt_href(run, name, sample), run.name)
            )
    texts = site.texts.get(name)
    sentences = {item.name: item.sentence for item in texts.grading.tests} if texts else {}

    def build_place(
        words: str, anchor: str | None, attempts: Sequence[urls.Link], *, test: bool
    ) -> Row:
        return Row(
            words=words,
            anchor=anchor,
            test=test,
            models=len(attempts),
            attempts=attempts[:_NAMED],
            unnamed_models=max(0, len(attempts) - _NAMED),
        )

    for step in (*StepName, _UNKNOWN_STEP):
        if step in steps:
            yield build_place(step, None, steps[step], test=False)
        if step == StepName.TESTS:
            for test, attempts in sorted(tests.items(), key=lambda item: (-len(item[1]), item[0])):
                anchor = test if test in sentences else None
                yield build_place(sentences.get(test, test), anchor, attempts, test=True)


@lru_cache(maxsize=1 << 15)
def _build_row(name: str, runs: tuple[RunSummary, ...], version: urls.Link) -> Row:
    """Return the row for runs of one model, newest first.

    Cached, so that a preview makes an unchanged row only once.
    """
    results, newest = [run.results[name] for run in runs], runs[0]
    marks: list[Row] = []
    for run, result in zip(runs, results, strict=True):
        outcome, words = _describe_result(result)
        marks.append(
            Row(
                outcome=outcome,
                symbol=SYMBOLS[outcome],
                label=f"{describe_day(run)}: {words}",
                href=urls.build_attempt_href(run, name),
            )
        )
    return Row(
        model=urls.Link(urls.build_model_path(newest.slug), newest.name),
        local=newest.local,
        condition=describe_run_condition(newest),
        version=version,
        share=compute_share(results),
        marks=marks,
        flips=len({result.passed > 0 for result in results if result.judged}) > 1,
        steps=", ".join(sorted({result.failed_step for result in results if result.failed_step})),
    )


@lru_cache(maxsize=1 << 12)
def _describe_result(result: EvalResult) -> tuple[str, str]:
    """Return the common outcome of a run's attempts at an eval, and a description in words.

    It is ``infrastructure`` if an attempt was not judged, and ``partly`` if only some passed.
    """
    outcome = "partly"
    if result.judged < result.planned:
        outcome = "infrastructure"
    elif result.passed in {0, result.planned}:
        outcome = "passed" if result.passed else "failed"
    words = f"passed {result.passed} of {result.judged}" if outcome == "partly" else outcome
    return outcome, words + (f", {result.failed_step}" if result.failed_step else "")


def build_eval_notes(site: SiteData, name: str) -> Iterator[Row]:
    """Yield the attributions of failures at an eval, from the newest report on each run."""
    for filed in site.reports_by_eval.get(name, ()):
        run = site.runs.get(filed.report.run)
        attribution = run and find_eval_attribution(collect_attributions(site, run.run_id), name)
        path = urls.build_filed_path(filed)
        if run and attribution and attribution.href.startswith(path):
            yield Row(
                model=urls.Link(urls.build_model_path(run.slug), run.name),
                attribution=attribution,
                report=urls.Link(path, f"run {run.run_id[:8]}, {filed.report.date}"),
            )
