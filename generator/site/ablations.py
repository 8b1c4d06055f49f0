"""Ablations of the guidelines: the losses of a model without each section, or with a placebo."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from generator.charts.bars import around_zero, whole_tens
from generator.read.summaries import RunSummary
from generator.render.environment import Frame
from generator.scores.difference import Conclusion
from generator.scores.trials import EditionEffect, EvalCounts, trial_effects
from generator.site.data import SiteData
from generator.site.labels import eval_title
from generator.site.parts import ModelLink, Share, frame, model_link, run_share
from generator.site.run_lines import linked
from generator.site.statistics import CONCLUSIONS
from generator.site.urls import ablation_path, attempt_href, eval_path, run_path
from records.shapes.trial import Edition, GuidelinesTrial


class MovedEval(NamedTuple):
    """An eval that ends otherwise without a section, or with a placebo for it."""

    name: str
    title: str
    href: str
    whole_href: str
    """Its attempt with the whole text."""
    edition_href: str
    """Its attempt with the other text."""


class EditionLine(NamedTuple):
    """The effect of leaving a section out, or of replacing it."""

    section: str
    tokens: int
    """How long the section is."""
    href: str | None
    """The run; None where it is not recorded here."""
    evals: int
    """Evals that were judged with both texts."""
    points: float | None
    """Edition minus whole text in percentage points; None where no eval was judged with both."""
    low: float | None
    """Lower end of the 95% interval."""
    high: float | None
    """Upper end."""
    p_value: float | None
    """Corrected for the number of sections."""
    verdict: str
    sure: bool
    """The effect is more than noise."""
    chart: str
    """The difference with its interval on a scale of all lines, SVG; empty without an interval."""
    lost: Sequence[MovedEval]
    gained: Sequence[MovedEval]


class AblationFinding(NamedTuple):
    """The result of an ablation for the sections that were left out."""

    href: str
    """Address of the ablation."""
    model: str
    day: date
    sections: int
    missed: Sequence[str]
    """Without these the model is worse, by more than chance."""
    better_without: Sequence[str]
    """Without these it is better, by more than chance."""
    unclear: int
    """Sections whose difference may be chance."""
    unjudged: int
    """Sections of which no eval was judged with both texts."""


class AblationPage(NamedTuple):
    """One ablation."""

    template = "ablation.html"

    frame: Frame
    model: ModelLink
    version_title: str
    version_href: str
    day: date
    local: bool
    whole: Share | None
    """Evals passed with the whole text; None where its run is not recorded here or not judged."""
    whole_href: str | None
    tokens: int
    """How long the whole text is."""
    finding: AblationFinding
    left_out: Sequence[EditionLine]
    placebos: Sequence[EditionLine]
    unjudged: int
    """Attempts that were planned and have no verdict yet."""
    absent: int
    """Runs that are not recorded here."""
    cost_usd: float | None
    """Cost of all its runs; None where the cost of any attempt is not known."""


class AblationLine(NamedTuple):
    """One ablation in the list of all."""

    href: str
    model: ModelLink
    version_title: str
    version_href: str
    day: date
    local: bool
    sections: int
    missed: int
    """Sections without which the model is worse, outside the noise."""
    better_without: int
    """Sections without which it is better."""


class AblationsPage(NamedTuple):
    """All ablations."""

    template = "ablations.html"

    frame: Frame
    ablations: Sequence[AblationLine]


def ablations_page(site: SiteData) -> AblationsPage:
    """Gather the list of ablations, newest first."""
    return AblationsPage(
        frame=frame(
            "Ablations of the guidelines",
            "ablations/",
            "What models lose without each section of the Convex guidelines.",
            "guidelines",
        ),
        ablations=[_listed(site, trial) for trial in ablations(site)],
    )


def ablations(site: SiteData) -> list[GuidelinesTrial]:
    """Return the ablations that were read, newest first."""
    trials = [trial for trial in site.summaries.trials if trial.kind == "ablation"]
    return sorted(trials, key=lambda one: (one.began_at, one.trial_id), reverse=True)


def ablation_page(site: SiteData, trial: GuidelinesTrial) -> AblationPage:
    """Gather one ablation."""
    runs = recorded(site, trial)
    effects = effects_of(trial, runs)
    whole = effects[0].whole
    intervals = [effect.difference.interval for effect in effects if effect.difference is not None]
    reach = whole_tens(100 * end for effect in intervals for end in (effect.low, effect.high))
    lines = {
        edition: [
            _line(site, effect, runs, reach) for effect in effects if effect.run.edition is edition
        ]
        for edition in (Edition.LEFT_OUT, Edition.PLACEBO)
    }
    model = _model(trial, runs)
    sent_whole = runs.get(whole.run_id)
    return AblationPage(
        frame=frame(
            f"Ablation: {model.name}",
            ablation_path(trial.trial_id),
            f"What {model.name} loses without each section of the Convex guidelines.",
            "guidelines",
        ),
        model=model,
        version_title=site.version_title(trial.benchmark_version),
        version_href=site.version_href(trial.benchmark_version),
        day=trial.began_at.date(),
        local=any(run.local for run in runs.values()),
        whole=None if sent_whole is None else run_share(sent_whole),
        whole_href=None if sent_whole is None else run_path(sent_whole.run_id),
        tokens=whole.tokens,
        finding=_finding(trial, runs, effects),
        left_out=lines[Edition.LEFT_OUT],
        placebos=lines[Edition.PLACEBO],
        unjudged=sum(run.tally.planned - run.tally.judged for run in runs.values()),
        absent=len(trial.runs) - len(runs),
        cost_usd=_cost(trial, runs),
    )


def ablation_findings(site: SiteData, version: str) -> list[AblationFinding]:
    """Return the result of each ablation that left sections out in a version, the newest first."""
    findings: list[AblationFinding] = []
    for trial in ablations(site):
        if trial.benchmark_version == version:
            runs = recorded(site, trial)
            findings.append(_finding(trial, runs, effects_of(trial, runs)))
    return [finding for finding in findings if finding.sections]


def _finding(
    trial: GuidelinesTrial, runs: dict[str, RunSummary], effects: Sequence[EditionEffect]
) -> AblationFinding:
    left_out = [effect for effect in effects if effect.run.edition is Edition.LEFT_OUT]
    by_conclusion: dict[Conclusion | None, list[str]] = {}
    for effect in left_out:
        by_conclusion.setdefault(effect.conclusion, []).append(effect.run.section or "")
    missed, better = (
        by_conclusion.get(Conclusion.WORSE, []),
        by_conclusion.get(Conclusion.BETTER, []),
    )
    unjudged = len(by_conclusion.get(None, []))
    return AblationFinding(
        href=ablation_path(trial.trial_id),
        model=_model(trial, runs).name,
        day=trial.began_at.date(),
        sections=len(left_out),
        missed=missed,
        better_without=better,
        unclear=len(left_out) - len(missed) - len(better) - unjudged,
        unjudged=unjudged,
    )


def recorded(site: SiteData, trial: GuidelinesTrial) -> dict[str, RunSummary]:
    """Return the runs of a trial that are there and were not withdrawn, by their ids."""
    by_id = {planned.run_id: site.runs.get(planned.run_id) for planned in trial.runs}
    return {
        run_id: run for run_id, run in by_id.items() if run is not None and run.withdrawn is None
    }


def effects_of(trial: GuidelinesTrial, runs: Mapping[str, RunSummary]) -> list[EditionEffect]:
    """Return the effect of each edition of an ablation, by its recorded runs."""
    return trial_effects(trial.runs, {key: _counts(run) for key, run in runs.items()})


def _counts(run: RunSummary) -> EvalCounts:
    return {name: (result.passed, result.judged) for name, result in run.results.items()}


def _model(trial: GuidelinesTrial, runs: dict[str, RunSummary]) -> ModelLink:
    if runs:
        return linked(next(iter(runs.values())))
    slug = trial.runs[0].model
    return model_link(slug, slug, slug.partition("/")[0])


def _line(
    site: SiteData, effect: EditionEffect, runs: dict[str, RunSummary], reach: float
) -> EditionLine:
    paired = effect.difference
    run, whole = runs.get(effect.run.run_id), runs.get(effect.whole.run_id)
    low = None if paired is None else 100 * paired.interval.low
    high = None if paired is None else 100 * paired.interval.high
    return EditionLine(
        section=effect.run.section or "",
        tokens=effect.run.section_tokens or 0,
        href=None if run is None else run_path(run.run_id),
        evals=0 if paired is None else paired.evals,
        points=None if paired is None else 100 * paired.value,
        low=low,
        high=high,
        p_value=effect.p_value,
        verdict="not judged" if effect.conclusion is None else CONCLUSIONS[effect.conclusion],
        sure=effect.conclusion in {Conclusion.WORSE, Conclusion.BETTER},
        chart="" if paired is None else around_zero(100 * paired.value, low, high, reach),
        lost=_moved(site, effect.lost, whole, run),
        gained=_moved(site, effect.gained, whole, run),
    )


def _moved(
    site: SiteData, evals: Sequence[str], whole: RunSummary | None, run: RunSummary | None
) -> list[MovedEval]:
    if whole is None or run is None:
        return []
    return [
        MovedEval(
            name,
            eval_title(site, name),
            eval_path(name),
            attempt_href(whole, name),
            attempt_href(run, name),
        )
        for name in evals
    ]


def _cost(trial: GuidelinesTrial, runs: dict[str, RunSummary]) -> float | None:
    """Return the cost of all runs; None unless the cost of each attempt is known."""
    costs = [
        run.cost_usd
        for run in runs.values()
        if run.cost_usd is not None and run.cost_known_for == run.tally.planned
    ]
    return sum(costs) if len(costs) == len(trial.runs) else None


def _listed(site: SiteData, trial: GuidelinesTrial) -> AblationLine:
    runs = recorded(site, trial)
    effects = effects_of(trial, runs)
    left_out = [effect for effect in effects if effect.run.edition is Edition.LEFT_OUT]
    conclusions = [effect.conclusion for effect in left_out]
    return AblationLine(
        href=ablation_path(trial.trial_id),
        model=_model(trial, runs),
        version_title=site.version_title(trial.benchmark_version),
        version_href=site.version_href(trial.benchmark_version),
        day=trial.began_at.date(),
        local=any(run.local for run in runs.values()),
        sections=len(left_out),
        missed=conclusions.count(Conclusion.WORSE),
        better_without=conclusions.count(Conclusion.BETTER),
    )
