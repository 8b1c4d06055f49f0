"""The list of all evals of a benchmark version, with their health."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from generator.blocks.benchmark_versions import build_version_head
from generator.blocks.matrix_cells import count_models, describe_solvers
from generator.charts.plots import draw_marked_bar
from generator.facts.attributions import (
    CLASSES,
    NOT_CLASSED,
    collect_attributions,
    find_eval_attribution,
)
from generator.facts.shares import compute_health_share
from generator.facts.site_data import SiteData
from generator.facts.titles import build_category, describe_step, find_eval_title
from generator.facts.urls import build_eval_path, build_page_frame
from generator.render.environment import PageContext, Row
from generator.render.template_filters import round_half_up
from generator.scores.health import EvalHealth
from generator.scores.leaderboards import Leaderboard
from records.shapes.failure_classes import FailureClass
from records.suites.experiments import DEFAULT, NO_GUIDELINES
from records.text.numbers import format_count

_RARE: Final = 1 / 3
"""Up to this share of evals with disagreement, it is a remark instead of a column."""

_HARDEST: Final = 5
"""The number of evals that are called the hardest."""

_MOST_UNFOLDED: Final = 12
"""A longer list of evals above the table is folded."""


def build_evals_page(site: SiteData, leaderboard: Leaderboard) -> PageContext:
    """Return the list of the evals of ``leaderboard``."""
    folder = site.find_version_folder(leaderboard.version)
    title = site.titles[leaderboard.version]
    every = leaderboard.health
    disagreeing = sum(bool(health.disagreement) for health in every.values())
    unsteady = disagreeing > _RARE * len(every)
    groups: list[Row] = []
    for key in leaderboard.list_categories():
        lines: list[Row] = []
        for name in leaderboard.list_eval_names(key):
            health = every.get(name)
            share = compute_health_share(health) if health else None
            lines.append(
                Row(
                    name=name,
                    title=find_eval_title(site, name),
                    href=build_eval_path(name),
                    share=share,
                    health=health,
                    chart=draw_marked_bar(share.percent, None) if share else "",
                    remarks=[*_list_remarks(health, unsteady=unsteady)] if health else (),
                )
            )
        groups.append(Row(category=build_category(key), lines=lines))
    columns = {
        "apart": any(health.correlation is not None for health in every.values()),
        "unsteady": unsteady,
        "remarks": any(line.remarks for group in groups for line in group.lines),
    }
    return PageContext(
        "pages/evals.html",
        frame=build_page_frame(
            f"Evals: {title}",
            f"{folder}evals/",
            f"{format_count(len(leaderboard.list_eval_names()), 'eval')} of {title}, "
            "and what they measure.",
            "" if folder else "evals",
            guidelines=not leaderboard.is_of_other_tool,
        ),
        version=build_version_head(site, leaderboard, "evals/"),
        models=count_models(every),
        hard=build_hard_groups(site, leaderboard),
        separating=sum(health.separates for health in every.values()),
        groups=groups,
        columns=[name for name, has_values in columns.items() if has_values],
    )


def _list_remarks(health: EvalHealth, *, unsteady: bool) -> Iterator[str]:
    """Yield the remarks on an eval; with ``unsteady``, disagreement has a column instead."""
    if note := describe_solvers(health):
        yield note
    if health.disagreement and not unsteady:
        models = format_count(health.repeated, "model")
        yield f"unsteady: {round_half_up(100 * health.disagreement)}% ({models})"
    if health.set_aside:
        yield f"{format_count(health.set_aside, 'failure')} set aside"


def build_hard_groups(site: SiteData, leaderboard: Leaderboard) -> list[Row]:
    """Return the lists above the table, over the models asked with guidelines.

    The hardest evals are listed only if no eval is passed by one model or none, because other lists
    have such evals.
    """
    every = leaderboard.health.values()
    models = count_models(leaderboard.health)
    condition = "" if leaderboard.is_of_other_tool else " with guidelines"
    asked = "one model" if models == 1 else f"{models} models"
    field = f"the {asked}{condition} in {site.titles[leaderboard.version]}"

    def build_eval(health: EvalHealth, reason: str = "") -> Row:
        name = health.eval
        return Row(
            title=find_eval_title(site, name),
            name=name,
            href=f"{build_eval_path(name)}#models",
            reason=reason,
        )

    def build_failing(health: EvalHealth) -> Row:
        return build_eval(health, "; ".join(_describe_failures(site, leaderboard, health)))

    failed = [health for health in every if health.pass_rate < 1]
    all_solved = all(len(health.solvers) > 1 for health in every)
    hardest = sorted(failed, key=lambda health: health.pass_rate)[:_HARDEST] if all_solved else []
    unsteady = [(health.disagreement, health) for health in every if health.disagreement]
    unsteady.sort(key=lambda pair: -pair[0])
    lists = {
        ("hardest", f"Passed least often by {field}"): [
            build_eval(health, f"{round_half_up(100 * health.pass_rate)}% in the mean of models")
            for health in hardest
        ],
        ("unsolved", f"{'Not passed by' if models == 1 else 'Passed by none of'} {field}"): [
            build_failing(health) for health in every if not health.solvers
        ],
        ("one", f"Passed by one of {field}"): [
            build_failing(health) for health in every if len(health.solvers) == 1 < health.models
        ],
        ("unsteady", "Unsteady: attempts by one model disagree"): [
            build_eval(health, f"{round_half_up(100 * share)}% of pairs")
            for share, health in unsteady
        ],
        ("blamed", "Failures that are not the model's fault by the reports"): [
            build_eval(health, format_count(health.set_aside, "failure"))
            for health in every
            if health.set_aside
        ],
        ("saturated", f"Passed every time by {field}"): [
            build_eval(health) for health in every if min(health.rates) >= 1
        ],
    }
    return [
        Row(
            key=key,
            heading=heading,
            evals=evals,
            folded=key == "saturated" or len(evals) > _MOST_UNFOLDED,
        )
        for (key, heading), evals in lists.items()
        if evals
    ]


def _describe_failures(
    site: SiteData, leaderboard: Leaderboard, health: EvalHealth
) -> Iterator[str]:
    """Yield in words the usual failed step, reports' attributions, and passes elsewhere."""
    name, entries = health.eval, leaderboard.select_models(DEFAULT)
    # Of each model only the newest run. A failure without a published step is a failing model, too.
    results = [entry.newest.results[name] for entry in entries]
    steps = Counter(result.failed_step for result in results if result.passed < result.judged)
    for step, number in steps.items():
        if step and 2 * number > steps.total():
            yield f"mostly failed at {describe_step(step)}"
    laid_on_models = {CLASSES[FailureClass.MODEL_FAULT][0], NOT_CLASSED[0]}
    reports = [
        find_eval_attribution(collect_attributions(site, run.run_id), name)
        for entry in entries
        for run in entry.runs
    ]
    others = [each for each in reports if each is not None and each.kind not in laid_on_models]
    if others:
        ((kind, number),) = Counter(each.kind for each in others).most_common(1)
        note = next((each.note for each in others if each.kind == kind and each.note), "")
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
