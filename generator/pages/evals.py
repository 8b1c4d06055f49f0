"""The list of all evals of a benchmark version, with their health."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from generator.blocks.benchmark_versions import VersionHead, build_version_head
from generator.blocks.matrix_cells import count_guided_models, describe_solvers
from generator.charts.plots import draw_marked_bar
from generator.facts.attributions import (
    CLASSES,
    NOT_CLASSED,
    collect_attributions,
    find_eval_attribution,
)
from generator.facts.shares import Share, compute_health_share
from generator.facts.site_data import SiteData
from generator.facts.titles import build_category, describe_step, find_eval_title
from generator.facts.urls import Category, build_eval_path, build_page_frame
from generator.render.environment import Frame
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


class HealthLine(NamedTuple):
    """An eval in the list of all evals."""

    name: str
    title: str
    href: str
    share: Share | None
    """The share of models that pass; None if no model was asked with guidelines."""
    health: EvalHealth | None
    """None if no model was asked with guidelines."""
    chart: str
    """The share as a bar, as SVG; empty if no model was asked with guidelines."""
    remarks: Sequence[str]
    """The facts in words that only few evals have."""


class HealthGroup(NamedTuple):
    """The evals of a category."""

    category: Category
    lines: Sequence[HealthLine]


class HardEval(NamedTuple):
    """An eval in a list above the table, such as the hardest evals."""

    title: str
    name: str
    href: str
    """The address of the part of its page with links to the attempts."""
    reason: str
    """Why the eval is in the list; empty if the heading of the list is enough."""


class HardGroup(NamedTuple):
    """A list of evals above the table, such as the hardest evals."""

    key: str
    heading: str
    evals: Sequence[HardEval]
    folded: bool
    """Whether the list is folded: few readers need it, or it would hide the table."""


class EvalsPage(NamedTuple):
    """The list of all evals of a benchmark version."""

    template = "pages/evals.html"

    frame: Frame
    version: VersionHead
    models: int
    """The number of models asked with guidelines, whose results the page shows."""
    separating: int
    """The number of evals at which any two of these models have different pass rates."""
    hard: Sequence[HardGroup]
    """The lists above the table; empty lists are left out."""
    groups: Sequence[HealthGroup]
    columns: Sequence[str]
    """The columns with values: some of ``apart``, ``unsteady``, ``remarks``."""


def build_evals_page(site: SiteData, leaderboard: Leaderboard) -> EvalsPage:
    """Return the list of the evals of ``leaderboard``."""
    folder = site.find_version_folder(leaderboard.version)
    title = site.titles[leaderboard.version]
    unsteady = _is_often_unsteady(leaderboard)
    groups = [
        HealthGroup(
            build_category(key),
            [
                _build_line(site, leaderboard, name, unsteady=unsteady)
                for name in leaderboard.list_eval_names(key)
            ],
        )
        for key in leaderboard.list_categories()
    ]
    return EvalsPage(
        frame=build_page_frame(
            f"Evals: {title}",
            f"{folder}evals/",
            f"{format_count(len(leaderboard.list_eval_names()), 'eval')} of {title}, "
            "and what they measure.",
            "" if folder else "evals",
            guidelines=not leaderboard.is_of_other_tool,
        ),
        version=build_version_head(site, leaderboard, "evals/"),
        models=count_guided_models(leaderboard),
        hard=build_hard_groups(site, leaderboard),
        separating=sum(health.separates for health in leaderboard.health.values()),
        groups=groups,
        columns=_choose_columns(
            [line for group in groups for line in group.lines], unsteady=unsteady
        ),
    )


def _is_often_unsteady(leaderboard: Leaderboard) -> bool:
    """Return whether attempts disagree at so many evals that the table has a column for it."""
    disagreeing = sum(bool(health.disagreement) for health in leaderboard.health.values())
    return disagreeing > _RARE * len(leaderboard.health)


def _choose_columns(lines: Sequence[HealthLine], *, unsteady: bool) -> list[str]:
    """Return the columns in which some line has a value."""
    having = {
        "apart": any(line.health and line.health.correlation is not None for line in lines),
        "unsteady": unsteady,
        "remarks": any(line.remarks for line in lines),
    }
    return [name for name, has_values in having.items() if has_values]


def build_hard_groups(site: SiteData, leaderboard: Leaderboard) -> list[HardGroup]:
    """Return the lists above the table, over the models asked with guidelines."""
    every = leaderboard.health.values()
    models = count_guided_models(leaderboard)
    asked_with = "" if leaderboard.is_of_other_tool else " with guidelines"
    field = _describe_field(models, asked_with, site.titles[leaderboard.version])
    steps = _find_failed_steps(leaderboard)
    build_hard_eval = partial(_build_hard_eval, site)
    build_failing_eval = partial(_build_failing_eval, site, leaderboard, steps)
    groups = [
        _build_hard_group(
            "hardest",
            f"Passed least often by {field}",
            [
                build_hard_eval(
                    health, f"{round_half_up(100 * health.pass_rate)}% in the mean of models"
                )
                for health in _find_hardest(every)
            ],
        ),
        _build_hard_group(
            "unsolved",
            f"{'Not passed by' if models == 1 else 'Passed by none of'} {field}",
            [build_failing_eval(health) for health in every if not health.solvers],
        ),
        _build_hard_group(
            "one",
            f"Passed by one of {field}",
            [
                build_failing_eval(health)
                for health in every
                if len(health.solvers) == 1 < health.models
            ],
        ),
        _build_hard_group(
            "unsteady",
            "Unsteady: attempts by one model disagree",
            [
                build_hard_eval(health, f"{round_half_up(100 * share)}% of pairs")
                for share, health in _sort_unsteady(every)
            ],
        ),
        _build_hard_group(
            "blamed",
            "Failures that are not the model's fault by the reports",
            [
                build_hard_eval(health, format_count(health.set_aside, "failure"))
                for health in every
                if health.set_aside
            ],
        ),
        _build_hard_group(
            "saturated",
            f"Passed every time by {field}",
            [build_hard_eval(health) for health in every if min(health.rates) >= 1],
        ),
    ]
    return [group for group in groups if group.evals]


def _build_hard_eval(site: SiteData, health: EvalHealth, note: str = "") -> HardEval:
    name = health.eval
    return HardEval(find_eval_title(site, name), name, f"{build_eval_path(name)}#models", note)


def _build_failing_eval(
    site: SiteData, leaderboard: Leaderboard, steps: Mapping[str, str], health: EvalHealth
) -> HardEval:
    note = _describe_failures(site, leaderboard, health, steps.get(health.eval))
    return _build_hard_eval(site, health, note)


def _sort_unsteady(every: Collection[EvalHealth]) -> list[tuple[float, EvalHealth]]:
    """Return the evals at which attempts disagree, with their shares, the largest first."""
    unsteady = ((health.disagreement, health) for health in every if health.disagreement)
    return sorted(unsteady, key=lambda pair: -pair[0])


def _find_hardest(every: Collection[EvalHealth]) -> list[EvalHealth]:
    """Return the evals that are passed least often.

    Empty if some eval is passed by one model or none, because other lists have such evals.
    """
    if any(len(health.solvers) <= 1 for health in every):
        return []
    failed = (health for health in every if health.pass_rate < 1)
    return sorted(failed, key=lambda health: health.pass_rate)[:_HARDEST]


def _describe_failures(
    site: SiteData, leaderboard: Leaderboard, health: EvalHealth, step: str | None
) -> str:
    """Return in words the usual failed step, reports' attributions, and passes elsewhere."""
    parts = [f"mostly failed at {describe_step(step)}"] if step else []
    parts.extend(_describe_excuses(site, leaderboard, health.eval))
    if not health.solvers:
        parts.extend(_describe_passes_elsewhere(site, leaderboard, health.eval))
    return "; ".join(parts)


def _describe_excuses(site: SiteData, leaderboard: Leaderboard, name: str) -> Iterator[str]:
    """Yield in words the most frequent fault by reports that is not the model's, if any."""
    runs = [run for entry in leaderboard.select_models(DEFAULT) for run in entry.runs]
    reports = [find_eval_attribution(collect_attributions(site, run.run_id), name) for run in runs]
    laid_on_models = {CLASSES[FailureClass.MODEL_FAULT][0], NOT_CLASSED[0]}
    others = [each for each in reports if each is not None and each.kind not in laid_on_models]
    if others:
        ((kind, number),) = Counter(each.kind for each in others).most_common(1)
        note = next((each.note for each in others if each.kind == kind and each.note), "")
        verb = "does" if number == 1 else "do"
        why = f" ({note})" if note else ""
        yield f"{format_count(number, 'report')} {verb} not blame the model alone: {kind}{why}"


def _describe_passes_elsewhere(
    site: SiteData, leaderboard: Leaderboard, name: str
) -> Iterator[str]:
    """Yield in words how many models pass an eval without guidelines and in other versions."""
    index = leaderboard.scored.place[name]
    bare = leaderboard.select_models(NO_GUIDELINES)
    solvers = sum(bool(entry.row.pool.passed[index]) for entry in bare)
    if solvers:
        yield f"without guidelines {solvers} of {format_count(len(bare), 'model')} passed it"
    for other in site.leaderboards.values():
        health = other.health.get(name)
        if other is not leaderboard and health and health.solvers:
            models = format_count(health.models, "model")
            title = site.titles[other.version]
            yield f"in another version, {title}, {len(health.solvers)} of {models} passed it"


def _build_hard_group(key: str, heading: str, evals: Sequence[HardEval]) -> HardGroup:
    folded = key == "saturated" or len(evals) > _MOST_UNFOLDED
    return HardGroup(key, heading, evals, folded=folded)


def _describe_field(models: int, asked_with: str, title: str) -> str:
    """Return words for the models of the lists, with version and condition."""
    return f"the {'one model' if models == 1 else f'{models} models'}{asked_with} in {title}"


def _find_failed_steps(leaderboard: Leaderboard) -> dict[str, str]:
    """Return by eval the step at which more than half of the failing models fail, if any.

    Only the newest run of each model with guidelines is used. A failure without a published step
    counts as a failing model.
    """
    newest = [item.newest for item in leaderboard.select_models(DEFAULT)]
    steps_by_eval: dict[str, str] = {}
    for name in leaderboard.list_eval_names():
        results = [run.results[name] for run in newest]
        steps = Counter(item.failed_step for item in results if item.passed < item.judged)
        for step, number in steps.items():
            if step and 2 * number > steps.total():
                steps_by_eval[name] = step
    return steps_by_eval


def _build_line(
    site: SiteData, leaderboard: Leaderboard, name: str, *, unsteady: bool
) -> HealthLine:
    """Return the line of an eval; with ``unsteady``, the table has a column for disagreement."""
    health = leaderboard.health.get(name)
    share = compute_health_share(health) if health else None
    return HealthLine(
        name=name,
        title=find_eval_title(site, name),
        href=build_eval_path(name),
        share=share,
        health=health,
        chart=draw_marked_bar(share.percent, None) if share else "",
        remarks=_list_remarks(health, unsteady=unsteady) if health else (),
    )


def _list_remarks(health: EvalHealth, *, unsteady: bool) -> list[str]:
    """Return the remarks on an eval; with ``unsteady``, disagreement has a column instead."""
    remarks = [note] if (note := describe_solvers(health)) else []
    if health.disagreement and not unsteady:
        models = format_count(health.repeated, "model")
        share = round_half_up(100 * health.disagreement)
        remarks.append(f"unsteady: {share}% ({models})")
    if health.set_aside:
        remarks.append(f"{format_count(health.set_aside, 'failure')} set aside")
    return remarks
