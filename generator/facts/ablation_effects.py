"""The effects of the editions of the guidelines in an ablation, by its recorded runs."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple

from generator.facts.run_lines import link_model
from generator.facts.site_data import SiteData
from generator.facts.urls import ModelLink, build_ablation_path, build_model_link
from generator.read.summaries import RunSummary
from generator.scores.differences.difference import Conclusion
from generator.scores.trial_effects import EditionEffect, EvalCounts, compute_trial_effects
from records.shapes.trial import Edition, GuidelinesTrial


class AblationFinding(NamedTuple):
    """The result of an ablation for the sections that were left out."""

    href: str
    """The address of the ablation's page, below the root."""
    model: str
    day: date
    sections: int
    """The number of sections that were left out, one at a time."""
    in_text: int | None
    """The number of sections of the whole text; None if the suite has another text now."""
    tried_tokens: int
    """The tokens of all sections that were left out."""
    tokens: int
    """The tokens of the whole text."""
    missed: Sequence[str]
    """The sections without which the model is worse, by more than chance."""
    better_without: Sequence[str]
    """The sections without which the model is better, by more than chance."""
    unclear: int
    """The number of sections whose difference may be chance."""
    unjudged: int
    """The number of sections for which no eval was judged with both texts."""


def list_ablations(site: SiteData) -> list[GuidelinesTrial]:
    """Return all ablations, newest first."""
    trials = [trial for trial in site.summaries.trials if trial.kind == "ablation"]
    return sorted(trials, key=lambda trial: (trial.began_at, trial.trial_id), reverse=True)


def find_recorded_runs(site: SiteData, trial: GuidelinesTrial) -> dict[str, RunSummary]:
    """Return the runs of a trial that have a record and were not withdrawn, by id."""
    by_id = {planned.run_id: site.runs.get(planned.run_id) for planned in trial.runs}
    return {
        run_id: run for run_id, run in by_id.items() if run is not None and run.withdrawn is None
    }


def compute_edition_effects(
    trial: GuidelinesTrial, runs: Mapping[str, RunSummary]
) -> list[EditionEffect]:
    """Return the effect of each edition of an ablation, by its recorded runs."""
    return compute_trial_effects(
        trial.runs, {key: _count_by_eval(run) for key, run in runs.items()}
    )


def _count_by_eval(run: RunSummary) -> EvalCounts:
    return {name: (result.passed, result.judged) for name, result in run.results.items()}


def link_ablated_model(trial: GuidelinesTrial, runs: dict[str, RunSummary]) -> ModelLink:
    """Return a link to the model of an ablation; without runs, its name is its slug."""
    if runs:
        return link_model(next(iter(runs.values())))
    slug = trial.runs[0].model
    return build_model_link(slug, slug, slug.partition("/")[0])


def build_ablation_findings(site: SiteData, version: str) -> list[AblationFinding]:
    """Return the result of each ablation that left sections out in a version, the newest first."""
    findings: list[AblationFinding] = []
    for trial in list_ablations(site):
        if trial.benchmark_version == version:
            runs = find_recorded_runs(site, trial)
            findings.append(
                build_ablation_finding(site, trial, runs, compute_edition_effects(trial, runs))
            )
    return [finding for finding in findings if finding.sections]


def build_ablation_finding(
    site: SiteData,
    trial: GuidelinesTrial,
    runs: dict[str, RunSummary],
    effects: Sequence[EditionEffect],
) -> AblationFinding:
    """Return the result of an ablation for the sections that were left out."""
    left_out = [effect for effect in effects if effect.run.edition is Edition.LEFT_OUT]
    by_conclusion: dict[Conclusion | None, list[str]] = {}
    for effect in left_out:
        by_conclusion.setdefault(effect.conclusion, []).append(effect.run.section or "")
    missed = by_conclusion.get(Conclusion.WORSE, [])
    better = by_conclusion.get(Conclusion.BETTER, [])
    unjudged = len(by_conclusion.get(None, []))
    return AblationFinding(
        href=build_ablation_path(trial.trial_id),
        model=link_ablated_model(trial, runs).name,
        day=trial.began_at.date(),
        sections=len(left_out),
        in_text=_count_sections(site, trial),
        tried_tokens=sum(effect.run.section_tokens or 0 for effect in left_out),
        tokens=effects[0].whole.tokens,
        missed=missed,
        better_without=better,
        unclear=len(left_out) - len(missed) - len(better) - unjudged,
        unjudged=unjudged,
    )


def _count_sections(site: SiteData, trial: GuidelinesTrial) -> int | None:
    """Return the number of sections of a trial's whole text.

    None if the suite's present text is not the text of the trial's version.
    """
    leaderboard = site.leaderboards.get(trial.benchmark_version)
    sent = None if leaderboard is None else leaderboard.benchmark.guidelines
    text = site.guidelines
    return len(text.sections) if text is not None and text.digest == sent else None
