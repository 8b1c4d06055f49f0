"""The effects of the editions of the guidelines in an ablation, by its recorded runs."""

from collections.abc import Mapping, Sequence

from generator.facts.run_lines import link_model
from generator.facts.site_data import SiteData
from generator.facts.urls import ModelLink, build_ablation_path, build_model_link
from generator.read.summaries import RunSummary
from generator.render.environment import Row
from generator.scores.differences.difference import Conclusion
from generator.scores.trial_effects import EditionEffect, compute_trial_effects
from records.shapes.trial import Edition, GuidelinesTrial


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
        trial.runs,
        {
            key: {name: (result.passed, result.judged) for name, result in run.results.items()}
            for key, run in runs.items()
        },
    )


def link_ablated_model(trial: GuidelinesTrial, runs: dict[str, RunSummary]) -> ModelLink:
    """Return a link to the model of an ablation; without runs, its name is its slug."""
    if runs:
        return link_model(next(iter(runs.values())))
    slug = trial.runs[0].model
    return build_model_link(slug, slug, slug.partition("/")[0])


def build_ablation_findings(site: SiteData, version: str) -> list[Row]:
    """Return the result of each ablation that left sections out in a version, the newest first."""
    findings: list[Row] = []
    for trial in list_ablations(site):
        if trial.benchmark_version == version:
            runs = find_recorded_runs(site, trial)
            effects = compute_edition_effects(trial, runs)
            findings.append(build_ablation_finding(site, trial, runs, effects))
    return [finding for finding in findings if finding.sections]


def build_ablation_finding(
    site: SiteData,
    trial: GuidelinesTrial,
    runs: dict[str, RunSummary],
    effects: Sequence[EditionEffect],
) -> Row:
    """Return the result of an ablation for the sections that were left out."""
    left_out = [effect for effect in effects if effect.run.edition is Edition.LEFT_OUT]
    missed, better, unjudged = (
        [effect.run.section or "" for effect in left_out if effect.conclusion is conclusion]
        for conclusion in (Conclusion.WORSE, Conclusion.BETTER, None)
    )
    leaderboard, text = site.leaderboards.get(trial.benchmark_version), site.guidelines
    is_text = leaderboard and text and text.digest == leaderboard.benchmark.guidelines
    return Row(
        href=build_ablation_path(trial.trial_id),
        model=link_ablated_model(trial, runs).name,
        day=trial.began_at.date(),
        sections=len(left_out),
        # None if the suite's present text is not the text of the trial's version.
        in_text=len(text.sections) if text and is_text else None,
        tried_tokens=sum(effect.run.section_tokens or 0 for effect in left_out),
        tokens=effects[0].whole.tokens,
        missed=missed,
        better_without=better,
        unclear=len(left_out) - len(missed) - len(better) - len(unjudged),
        unjudged=len(unjudged),
    )
