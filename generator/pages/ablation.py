"""The page of an ablation: the losses of a model without single sections of the guidelines."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from generator.charts.plots import draw_difference_bar, round_up_to_tens
from generator.facts.ablation_effects import (
    AblationFinding,
    build_ablation_finding,
    compute_edition_effects,
    find_recorded_runs,
    link_ablated_model,
)
from generator.facts.shares import Share, compute_run_share, conclude_in_words
from generator.facts.site_data import SiteData
from generator.facts.titles import find_eval_title
from generator.facts.urls import (
    ModelLink,
    build_ablation_path,
    build_attempt_href,
    build_eval_path,
    build_page_frame,
    build_run_path,
)
from generator.read.summaries import RunSummary
from generator.render.environment import Frame
from generator.scores.differences.difference import Conclusion
from generator.scores.trial_effects import EditionEffect
from records.shapes.trial import Edition, GuidelinesTrial


class MovedEval(NamedTuple):
    """An eval whose result differs without a section, or with a placebo for it."""

    name: str
    title: str
    href: str
    whole_href: str
    """The address of the attempt with the whole text."""
    edition_href: str
    """The address of the attempt with the other text."""


class EditionLine(NamedTuple):
    """The effect of leaving a section out, or of replacing it by a placebo."""

    effect: EditionEffect
    href: str | None
    """The address of the run's page; None if the run is not recorded here."""
    verdict: str
    sure: bool
    """Whether the effect is more than chance."""
    chart: str
    """The difference with its interval, as SVG, on one scale for all lines; empty without one."""
    lost: Sequence[MovedEval]
    gained: Sequence[MovedEval]


class AblationPage(NamedTuple):
    """The page of an ablation."""

    template = "pages/ablation.html"

    frame: Frame
    model: ModelLink
    version_title: str
    version_href: str
    day: date
    local: bool
    whole: Share | None
    """The share of evals passed with the whole text; None if its run is not recorded or judged."""
    whole_href: str | None
    tokens: int
    """The tokens of the whole text."""
    finding: AblationFinding
    left_out: Sequence[EditionLine]
    placebos: Sequence[EditionLine]
    unjudged: int
    """The number of planned attempts without a verdict."""
    absent: int
    """The number of runs that are not recorded here."""
    cost_usd: float | None
    """US dollars for all runs; None if the cost of any attempt is not known."""


def build_ablation_page(site: SiteData, trial: GuidelinesTrial) -> AblationPage:
    """Return the page of an ablation."""
    runs = find_recorded_runs(site, trial)
    effects = compute_edition_effects(trial, runs)
    whole = effects[0].whole
    intervals = [effect.difference.interval for effect in effects if effect.difference is not None]
    reach = round_up_to_tens(100 * end for effect in intervals for end in (effect.low, effect.high))
    lines = {
        edition: [
            _build_line(site, effect, runs, reach)
            for effect in effects
            if effect.run.edition is edition
        ]
        for edition in (Edition.LEFT_OUT, Edition.PLACEBO)
    }
    model = link_ablated_model(trial, runs)
    sent_whole = runs.get(whole.run_id)
    return AblationPage(
        frame=build_page_frame(
            f"Ablation: {model.name}",
            build_ablation_path(trial.trial_id),
            f"What {model.name} loses without single sections of the"
            f" {site.settings.guidelines_named}.",
            "guidelines",
        ),
        model=model,
        version_title=site.find_version_title(trial.benchmark_version),
        version_href=site.build_version_href(trial.benchmark_version),
        day=trial.began_at.date(),
        local=any(run.local for run in runs.values()),
        whole=None if sent_whole is None else compute_run_share(sent_whole),
        whole_href=None if sent_whole is None else build_run_path(sent_whole.run_id),
        tokens=whole.tokens,
        finding=build_ablation_finding(site, trial, runs, effects),
        left_out=lines[Edition.LEFT_OUT],
        placebos=lines[Edition.PLACEBO],
        unjudged=sum(run.tally.planned - run.tally.judged for run in runs.values()),
        absent=len(trial.runs) - len(runs),
        cost_usd=_compute_cost(trial, runs),
    )


def _build_line(
    site: SiteData, effect: EditionEffect, runs: dict[str, RunSummary], reach: float
) -> EditionLine:
    paired = effect.difference
    run, whole = runs.get(effect.run.run_id), runs.get(effect.whole.run_id)
    ends = (100 * paired.interval.low, 100 * paired.interval.high) if paired else (None, None)
    return EditionLine(
        effect=effect,
        href=None if run is None else build_run_path(run.run_id),
        verdict=_conclude(effect),
        sure=effect.conclusion in {Conclusion.WORSE, Conclusion.BETTER},
        chart=draw_difference_bar(100 * paired.value, *ends, reach) if paired else "",
        lost=_build_moved_evals(site, effect.lost, whole, run),
        gained=_build_moved_evals(site, effect.gained, whole, run),
    )


def _conclude(effect: EditionEffect) -> str:
    if effect.difference is None or effect.conclusion is None:
        return "not judged"
    return conclude_in_words(
        effect.conclusion, effect.difference.interval, effect.difference.p_value, "sections"
    )


def _build_moved_evals(
    site: SiteData, evals: Sequence[str], whole: RunSummary | None, run: RunSummary | None
) -> list[MovedEval]:
    if whole is None or run is None:
        return []
    return [
        MovedEval(
            name,
            find_eval_title(site, name),
            build_eval_path(name),
            build_attempt_href(whole, name),
            build_attempt_href(run, name),
        )
        for name in evals
    ]


def _compute_cost(trial: GuidelinesTrial, runs: dict[str, RunSummary]) -> float | None:
    """Return the US dollars for all runs; None if the cost of any attempt is not known."""
    costs = [
        run.cost_usd
        for run in runs.values()
        if run.cost_usd is not None and run.cost_known_for == run.tally.planned
    ]
    return sum(costs) if len(costs) == len(trial.runs) else None
