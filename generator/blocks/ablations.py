"""The findings of ablations, for the pages of ablations and of the guidelines' effect."""

from generator.blocks.run_lines import link_model
from generator.render.templates import Row
from generator.scores.differences.difference import Conclusion
from generator.scores.trial_effects import Ablation
from generator.site_data import SiteData
from generator.site_links import ModelLink, build_ablation_path, build_model_link
from records.shapes.trial import Edition


def link_ablated_model(ablation: Ablation) -> ModelLink:
    """Return a link to the model of an ablation; without runs, its name is its slug."""
    run = next(iter(ablation.runs.values()), None)
    if run is not None:
        return link_model(run)
    slug = ablation.trial.runs[0].model
    return build_model_link(slug, slug, slug.partition("/")[0])


def build_ablation_finding(site: SiteData, ablation: Ablation) -> Row:
    """Return the result of an ablation for the sections that were left out."""
    trial, _, effects = ablation
    left_out = [effect for effect in effects if effect.run.edition is Edition.LEFT_OUT]
    sections: dict[Conclusion | None, list[str]] = {}
    for effect in left_out:
        conclusion = effect.difference and effect.difference.conclusion
        sections.setdefault(conclusion, []).append(effect.run.section or "")
    missed, better, unjudged = (
        sections.get(conclusion, []) for conclusion in (Conclusion.WORSE, Conclusion.BETTER, None)
    )
    leaderboard, text = site.leaderboards.get(trial.benchmark_version), site.guidelines
    is_text = leaderboard and text and text.digest == leaderboard.benchmark.guidelines
    return Row(
        href=build_ablation_path(trial.trial_id),
        model=link_ablated_model(ablation).name,
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
