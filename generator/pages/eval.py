"""The page of an eval: its task, its grading and its results."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from generator.blocks.eval_grading import GradingInWords, build_grader_href, describe_grading
from generator.blocks.matrix_cells import describe_solvers
from generator.facts.attributions import (
    CLASSES,
    Attribution,
    collect_attributions,
    find_eval_attribution,
)
from generator.facts.shares import Share, compute_health_share, compute_share
from generator.facts.site_data import SiteData, find_section_href
from generator.facts.titles import SYMBOLS, build_category, describe_run_condition, find_eval_title
from generator.facts.urls import (
    Category,
    Link,
    build_attempt_href,
    build_eval_path,
    build_filed_path,
    build_model_path,
    build_page_frame,
)
from generator.read.suite_texts import EvalTexts
from generator.read.summaries import EvalResult, RunSummary, get_category_key
from generator.render.environment import Frame
from generator.render.template_filters import PublishedTree, find_published_tree
from generator.scores.health import EvalHealth
from records.shapes.attempt import StepName
from records.shapes.failure_classes import FailureClass
from records.suites.experiments import DEFAULT
from records.text.run_days import describe_dated_run, describe_day

_NAMED: Final = 8
"""The most models that a row names; further models are only counted."""

_UNKNOWN_STEP: Final = "step not published"


class FailingPlace(NamedTuple):
    """A step or a test that some models fail."""

    words: str
    """The step's name, or the purpose of the test."""
    anchor: str | None
    """The anchor of the test in the list of tests; None for a step, or a test that is gone."""
    test: bool
    """Whether this is a test; tests follow the step `tests`."""
    models: int
    attempts: Sequence[Link]
    """A failed attempt of each model, by the model's name; at most `_NAMED`."""

    @property
    def unnamed_models(self) -> int:
        """The number of models that are not named."""
        return self.models - len(self.attempts)


class FailingPlaces(NamedTuple):
    """The steps and tests at which answers to an eval fail, in one version."""

    version: Link
    models: int
    """The number of models asked with guidelines; only the newest run of each is used."""
    failing: int
    """The number of these models that fail the eval in some attempt."""
    places: Sequence[FailingPlace]
    """Steps in the order of grading; after the step `tests` its tests, most often failed first."""


def find_failing_places(site: SiteData, name: str) -> FailingPlaces | None:
    """Return where answers to an eval fail, in the newest version with a failing model.

    None if no model that was asked with guidelines fails the eval.
    """
    for leaderboard in site.leaderboards.values():
        # Other tools do not name a step.
        is_known = name in leaderboard.health and not leaderboard.is_of_other_tool
        runs = [model.newest for model in leaderboard.select_models(DEFAULT) if is_known]
        failing = [run for run in runs if run.results[name].passed < run.results[name].judged]
        if failing:
            version = leaderboard.version
            return FailingPlaces(
                version=Link(site.build_version_href(version), site.titles[version]),
                models=len(runs),
                failing=len(failing),
                places=_build_places(failing, name, site.texts.get(name)),
            )
    return None


def _build_places(
    failing: Sequence[RunSummary], name: str, texts: EvalTexts | None
) -> list[FailingPlace]:
    steps: dict[str, list[Link]] = {}
    tests: dict[str, list[Link]] = {}
    for run in failing:
        step = run.results[name].failed_step or _UNKNOWN_STEP
        steps.setdefault(step, []).append(Link(build_attempt_href(run, name), run.name))
        for test, sample in run.failed_tests.get(name, ()):
            tests.setdefault(test, []).append(Link(build_attempt_href(run, name, sample), run.name))
    order = [*StepName, _UNKNOWN_STEP]
    sentences = {item.name: item.sentence for item in texts.grading.tests} if texts else {}
    failing_places: list[FailingPlace] = []
    for step in sorted(
        steps.keys() | ({StepName.TESTS.value} if tests else set()), key=order.index
    ):
        if step in steps:
            failing_places.append(_build_failing_place(step, None, steps[step], test=False))
        if step == StepName.TESTS:
            failing_places += _build_test_places(tests, sentences)
    return failing_places


def _build_test_places(
    tests: Mapping[str, Sequence[Link]], sentences: Mapping[str, str]
) -> Iterable[FailingPlace]:
    for name, attempts in sorted(tests.items(), key=lambda item: (-len(item[1]), item[0])):
        anchor = name if name in sentences else None
        yield _build_failing_place(sentences.get(name, name), anchor, attempts, test=True)


def _build_failing_place(
    words: str, anchor: str | None, attempts: Sequence[Link], *, test: bool
) -> FailingPlace:
    return FailingPlace(words, anchor, test, len(attempts), attempts[:_NAMED])


class RunMark(NamedTuple):
    """The result of a run at the eval, with a link to its first attempt."""

    outcome: str
    symbol: str
    label: str
    href: str


class ConditionRow(NamedTuple):
    """The results of a model under one condition, in its newest runs."""

    model: Link
    local: bool
    condition: str
    version: Link
    share: Share | None
    """The share of passed attempts; None if none was judged."""
    marks: Sequence[RunMark]
    """The results of the runs, newest first."""
    flips: bool
    """Whether the eval was passed in some runs, and failed in others."""
    steps: str
    """The steps at which attempts failed."""


@lru_cache(maxsize=1 << 15)
def _build_row(name: str, runs: tuple[RunSummary, ...], version: Link) -> ConditionRow:
    """Return the row for runs of one model, newest first.

    Cached, so that a preview makes an unchanged row only once.
    """
    results, newest = [run.results[name] for run in runs], runs[0]
    marks: list[RunMark] = []
    for run, result in zip(runs, results, strict=True):
        outcome, symbol, words = _describe_result(result)
        label = f"{describe_day(run)}: {words}"
        marks.append(RunMark(outcome, symbol, label, build_attempt_href(run, name)))
    return ConditionRow(
        model=Link(build_model_path(newest.slug), newest.name),
        local=newest.local,
        condition=describe_run_condition(newest),
        version=version,
        share=compute_share(results),
        marks=marks,
        flips=len({result.passed > 0 for result in results if result.judged}) > 1,
        steps=", ".join(sorted({result.failed_step for result in results if result.failed_step})),
    )


@lru_cache(maxsize=1 << 12)
def _describe_result(result: EvalResult) -> tuple[str, str, str]:
    """Return the outcome of a result, the symbol of the outcome, and a description in words."""
    outcome = _combine_outcomes(result)
    words = f"passed {result.passed} of {result.judged}" if outcome == "partly" else outcome
    step = f", {result.failed_step}" if result.failed_step else ""
    return outcome, SYMBOLS[outcome], f"{words}{step}"


def _combine_outcomes(result: EvalResult) -> str:
    """Return the common outcome of all attempts of a run at one eval.

    It is ``infrastructure`` if an attempt was not judged, and ``partly`` if only some passed.
    """
    if result.judged < result.planned:
        return "infrastructure"
    if result.passed == result.planned:
        return "passed"
    return "failed" if result.passed == 0 else "partly"


class EvalNote(NamedTuple):
    """A report's attribution of a failure."""

    model: Link
    attribution: Attribution
    report: Link


def build_eval_notes(site: SiteData, name: str) -> Iterator[EvalNote]:
    """Yield the attributions of failures at an eval, from the newest report on each run."""
    for filed in site.reports_by_eval.get(name, ()):
        run = site.runs.get(filed.report.run)
        attribution = run and find_eval_attribution(collect_attributions(site, run.run_id), name)
        path = build_filed_path(filed)
        if run and attribution and attribution.href.startswith(path):
            yield EvalNote(
                model=Link(build_model_path(run.slug), run.name),
                attribution=attribution,
                report=Link(path, f"run {run.run_id[:8]}, {filed.report.date}"),
            )


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
    rows: Sequence[ConditionRow]
    """A row for each model, version and experiment."""
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
        rows=[
            _build_row(
                name,
                runs,
                Link(
                    site.build_version_href(runs[0].version),
                    site.find_version_title(runs[0].version),
                ),
            )
            for runs in site.met.get(name, ())
        ],
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
