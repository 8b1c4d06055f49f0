"""The page of an eval: its task, its grading and its results."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from generator import site_links
from generator.blocks import attributions
from generator.blocks.matrix_cells import count_models
from generator.blocks.shares import compute_share
from generator.read.summaries import EvalResult, RunSummary, get_category_key
from generator.render.template_filters import find_published_tree
from generator.render.templates import PageContext, Row
from generator.scores.health import EvalHealth
from generator.scores.leaderboards import Leaderboard
from generator.site_data import SiteData
from records.grouping import group_values
from records.shapes.attempt import StepName
from records.shapes.failure_classes import CLASSES, FailureClass
from records.suites.experiments import DEFAULT, NO_GUIDELINES
from records.suites.levels import Level
from records.text.numbers import format_count
from records.text.run_days import describe_day

_UNKNOWN_STEP = "step not published"
_REFERENCE = "baseline/oracle"
"""The slug of the baseline that hands in the reference answers."""


def build_eval_page(site: SiteData, name: str) -> PageContext:
    """Return the page of the eval called ``name``."""
    texts = site.texts.get(name)
    title, category = site.find_eval_title(name), get_category_key(name)
    label = site_links.label_category(category)
    boards = site.leaderboards.values()
    having = [board for board in boards if name in board.benchmark.evals]
    fault, _ = CLASSES[FailureClass.MODEL_FAULT]
    notes = sorted(build_eval_notes(site, name), key=lambda note: note.attribution.kind == fault)
    groups = site.met.get(name, ())
    rows: dict[bool, list[Row]] = {False: [], True: []}
    for runs in groups:
        is_earlier = any(runs[0].version != board.version for board in having[:1])
        rows[runs[0].baseline and is_earlier].append(_build_row(name, runs))
    references = [run for runs in groups for run in runs if run.slug == _REFERENCE]
    newest = max(references, key=lambda run: (run.head.began, run.run_id), default=None)
    has_failed = newest and newest.results[name].passed < newest.results[name].judged
    sources = {run.source for runs in groups for run in runs if run.source}
    trees = {tree for source in sources if (tree := find_published_tree(source)) is not None}
    # The tests that refuse each wrong answer, without parameters and repetitions.
    refusing = {
        refused: list(dict.fromkeys(test.partition("[")[0] for test in variant.tests))
        for refused, variant in (texts.calibration.failing.items() if texts else ())
    }
    return PageContext(
        "pages/eval.html",
        f"{title}, {label.lower()}",
        site_links.build_eval_path(name),
        (texts and texts.concept) or f"How models fare at the eval {name}.",
        guidelines=name not in site.imported_titles,
        name=name,
        title=title,
        category=site.link_category(having[0].version, category)
        if having
        else site_links.Link("evals/", label),
        basics=site,
        texts=texts,
        # `leaderboard suite check` tells the author of tests that the grader does not have.
        tests={test.name: test for test in texts.tests} if texts else {},
        refusing=refusing,
        catches=Counter(chain.from_iterable(refusing.values())),
        publishers=sorted(trees),
        versions=[board.version for board in having],
        # In each version separately, since versions are never mixed.
        measures={board.version: health for board in boards if (health := board.health.get(name))},
        reference_failed=newest if has_failed else None,
        failing=find_failing_places(site, name),
        rows=rows[False],
        earlier_baselines=rows[True],
        notes=notes,
        classes=list(Counter(note.attribution.kind for note in notes).items()),
    )


def find_failing_places(site: SiteData, name: str) -> Row | None:
    """Return where answers to an eval fail, in the newest version with a failing model.

    Only the newest run of each model is used. None if no model that was asked with guidelines fails
    the eval.
    """
    for leaderboard in site.leaderboards.values():
        # Other tools do not name a step.
        is_known = name in leaderboard.health and not leaderboard.is_of_other_tool
        runs = [
            model.list_runs(name)[0] for model in leaderboard.select_models(DEFAULT) if is_known
        ]
        failing = [run for run in runs if run.results[name].passed < run.results[name].judged]
        if failing:
            return Row(
                version=leaderboard.version,
                models=len(runs),
                failing=len(failing),
                places=[*_build_places(site, failing, name)],
            )
    return None


def _build_places(site: SiteData, failing: Sequence[RunSummary], name: str) -> Iterator[Row]:
    """Yield the failed steps in their order; after `tests` its tests, most often failed first."""
    steps = group_values(
        (
            run.results[name].failed_step or _UNKNOWN_STEP,
            site_links.Link(site_links.build_attempt_href(run, name), run.name),
        )
        for run in failing
    )
    # Of the first attempt that failed a test.
    samples = {
        (test, run): each.sample
        for run in failing
        for each in run.failures[name][::-1]
        for test in each.tests
    }
    tests = group_values(
        (test, site_links.Link(site_links.build_attempt_href(run, name, sample), run.name))
        for (test, run), sample in samples.items()
    )
    texts = site.texts.get(name)
    sentences = {test.name: test.sentence for test in texts.tests} if texts else {}

    for step in (*StepName, _UNKNOWN_STEP):
        if step in steps:
            yield Row(words=step, anchor=None, test=False, attempts=steps[step])
        if step == StepName.TESTS:
            for test, attempts in sorted(tests.items(), key=lambda item: (-len(item[1]), item[0])):
                words, anchor = sentences.get(test, test), test if test in sentences else None
                yield Row(words=words, anchor=anchor, test=True, attempts=attempts)


@lru_cache(maxsize=1 << 15)
def _build_row(name: str, runs: tuple[RunSummary, ...]) -> Row:
    """Return the row for runs of one model, newest first.

    Cached, so that a preview makes an unchanged row only once.
    """
    results = [run.results[name] for run in runs]
    marks: list[Row] = []
    for run, result in zip(runs, results, strict=True):
        outcome, words = _describe_result(result)
        marks.append(
            Row(
                outcome=outcome,
                symbol=site_links.SYMBOLS[outcome],
                label=f"{describe_day(run.head)}: {words}",
                href=site_links.build_attempt_href(run, name),
            )
        )
    return Row(
        newest=runs[0],
        share=compute_share(results),
        marks=marks,
        flips=len({result.passed > 0 for result in results if result.judged}) > 1,
        steps=sorted({result.failed_step for result in results if result.failed_step}),
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
        attribution = run and attributions.find_attribution(site, run.run_id, name)
        path = site_links.build_filed_path(filed)
        if run and attribution and attribution.href.startswith(path):
            yield Row(run=run, attribution=attribution, report=filed.report, href=path)


_RARE = 1 / 3
"""Up to this share of evals with disagreement, it is a remark instead of a column."""

_HARDEST = 5
"""The number of evals that are called the hardest."""


def build_evals_page(site: SiteData, leaderboard: Leaderboard) -> PageContext:
    """Return the list of the evals of ``leaderboard``."""
    folder = site.find_version_folder(leaderboard.version)
    title = site.titles[leaderboard.version]
    every = leaderboard.health
    disagreeing = sum(bool(health.disagreement) for health in every.values())
    unsteady = disagreeing > _RARE * len(every)
    benchmark = leaderboard.benchmark
    # A version before there were levels has those of today; evals of others have none.
    levels = benchmark.levels or ({} if benchmark.source else site.levels)
    # The board may be over the levels before.
    hard = {name for name, level in levels.items() if level is Level.HARD}
    unasked = (hard & benchmark.evals.keys()) - leaderboard.scored.place.keys()
    evals = sorted({*leaderboard.list_eval_names(), *unasked})
    by_category = group_values((get_category_key(name), name) for name in evals)
    groups = {key: by_category[key] for key in leaderboard.list_categories()}
    names = list(chain.from_iterable(groups.values()))
    standing_out = list_hard_evals(leaderboard)
    listed = {levels.get(name, "") for name in names}
    return PageContext(
        "pages/evals.html",
        f"Evals: {title}",
        f"{folder}evals/",
        f"{format_count(len(leaderboard.list_eval_names()), 'eval')} of {title}, "
        "and what they measure.",
        "" if folder else "evals",
        guidelines=not leaderboard.is_of_other_tool,
        board=leaderboard,
        basics=site,
        models=count_models(every),
        hard=standing_out,
        failures={
            health.eval: [*_describe_failures(site, leaderboard, health)]
            for key in ("unsolved", "one", "suspect")
            for health in standing_out.get(key, ())
        },
        groups=groups,
        levels=levels,
        # Levels have a column if they differ.
        level_choices=[level for level in Level if level in listed and len(listed) > 1],
        subjects=sorted({slug for name in names for slug in site.list_subjects(name)}),
        unsteady=unsteady,
    )


def list_hard_evals(leaderboard: Leaderboard) -> dict[str, list[EvalHealth]]:
    """Return the lists above the table by their keys, over the models asked with guidelines.

    The hardest evals are listed only if no eval is passed by one model or none, because other lists
    have such evals.
    """
    every = leaderboard.health.values()
    failed = [health for health in every if health.pass_rate < 1]
    all_solved = all(len(health.solvers) > 1 for health in every)
    hardest = sorted(failed, key=lambda health: health.pass_rate)[:_HARDEST] if all_solved else []
    unsteady = [(health.disagreement, health) for health in every if health.disagreement]
    lists = {
        "hardest": hardest,
        "unsolved": [health for health in every if not health.solvers],
        "one": [health for health in every if len(health.solvers) == 1 < health.models],
        "suspect": [health for health in every if health.is_suspect],
        "unsteady": [health for _, health in sorted(unsteady, key=lambda pair: -pair[0])],
        "blamed": [health for health in every if health.set_aside],
        "saturated": [health for health in every if min(health.rates) >= 1],
    }
    return {key: evals for key, evals in lists.items() if evals}


def _describe_failures(
    site: SiteData, leaderboard: Leaderboard, health: EvalHealth
) -> Iterator[str]:
    """Yield in words the usual failed step, reports' attributions, and passes elsewhere."""
    name, entries = health.eval, leaderboard.select_models(DEFAULT)
    # Of each model only the newest run. A failure without a published step is a failing model, too.
    results = [entry.list_runs(name)[0].results[name] for entry in entries]
    steps = Counter(result.failed_step for result in results if result.passed < result.judged)
    for step, number in steps.items():
        if step and 2 * number > steps.total():
            yield f"mostly failed at {site_links.describe_step(step)}"
    laid_on_models = {CLASSES[kind][0] for kind in (FailureClass.MODEL_FAULT, None)}
    reports = [
        attributions.find_attribution(site, run.run_id, name)
        for entry in entries
        for run in entry.runs
    ]
    excusing = [each for each in reports if each is not None and each.kind not in laid_on_models]
    if excusing:
        ((kind, number),) = Counter(each.kind for each in excusing).most_common(1)
        note = next((each.note for each in excusing if each.kind == kind and each.note), "")
        verb = "does" if number == 1 else "do"
        why = f" ({note})" if note else ""
        yield f"{format_count(number, 'report')} {verb} not blame the model alone: {kind}{why}"
    if health.solvers:
        return
    bare = leaderboard.select_models(NO_GUIDELINES)
    solvers = sum(entry.passes[name] > 0 for entry in bare)
    if solvers:
        yield f"without guidelines {solvers} of {format_count(len(bare), 'model')} passed it"
    for other in site.leaderboards.values():
        elsewhere = other.health.get(name)
        if other is not leaderboard and elsewhere and elsewhere.solvers:
            solved = f"{len(elsewhere.solvers)} of {format_count(elsewhere.models, 'model')}"
            yield f"in another version, {site.titles[other.version]}, {solved} passed it"
