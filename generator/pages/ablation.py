"""The pages of ablations: what a model loses without single sections of the guidelines."""

from generator import site_links
from generator.blocks.shares import compute_run_share, conclude_in_words
from generator.render.templates import PageContext, Row
from generator.scores.differences.difference import Conclusion
from generator.scores.trial_effects import Ablation
from generator.site_data import SiteData
from records.grouping import group_values
from records.shapes.trial import Edition


def build_ablations_page(site: SiteData) -> PageContext:
    """Return the list of ablations, newest first."""
    ablations = [
        Row(
            finding=build_ablation_finding(site, ablation),
            local=any(run.local for run in ablation.runs.values()),
        )
        for ablation in site.ablations
    ]
    return PageContext(
        "pages/ablations.html",
        "Ablations of the guidelines",
        "ablations/",
        f"What models lose without each section of the {site.settings.guidelines_named}.",
        "guidelines",
        basics=site,
        ablations=ablations,
    )


def build_ablation_page(site: SiteData, ablation: Ablation) -> PageContext:
    """Return the page of an ablation."""
    trial, runs, effects = ablation
    whole = effects[0].whole
    lines: dict[Edition, list[Row]] = {edition: [] for edition in Edition}
    sent_whole = runs.get(whole.run_id)
    for effect in effects:
        difference, run = effect.difference, runs.get(effect.run.run_id)
        is_shown = difference is not None and run is not None and sent_whole is not None
        lines[effect.run.edition].append(
            Row(
                effect=effect,
                run=run,
                verdict=conclude_in_words(difference) if difference else "not judged",
                lost=difference.broken if difference and is_shown else (),
                gained=difference.fixed if difference and is_shown else (),
            )
        )
    costs = [
        run.cost_usd.total for run in runs.values() if run.cost_usd.known_for == run.tally.planned
    ]
    return PageContext(
        "pages/ablation.html",
        f"Ablation: {ablation.model_name}",
        site_links.build_ablation_path(trial.trial_id),
        f"What {ablation.model_name} loses without single sections of the"
        f" {site.settings.guidelines_named}.",
        "guidelines",
        local=any(run.local for run in runs.values()),
        basics=site,
        whole=whole,
        sent_whole=sent_whole,
        share=sent_whole and compute_run_share(sent_whole),
        finding=build_ablation_finding(site, ablation),
        differences=[effect.difference for effect in effects if effect.difference],
        left_out=lines[Edition.LEFT_OUT],
        placebos=lines[Edition.PLACEBO],
        unjudged=sum(run.tally.unjudged for run in runs.values()),
        absent=len(trial.runs) - len(runs),
        cost_usd=sum(costs) if len(costs) == len(trial.runs) else None,
    )


def build_ablation_finding(site: SiteData, ablation: Ablation) -> Row:
    """Return the result of an ablation for the sections that were left out."""
    trial, _, effects = ablation
    left_out = [effect for effect in effects if effect.run.edition is Edition.LEFT_OUT]
    sections = group_values(
        (effect.difference and effect.difference.conclusion, effect.run.section or "")
        for effect in left_out
    )
    missed, better, unjudged = (
        sections.get(conclusion, []) for conclusion in (Conclusion.WORSE, Conclusion.BETTER, None)
    )
    leaderboard, text = site.leaderboards.get(trial.benchmark_version), site.guidelines
    is_text = leaderboard and text and text.digest == leaderboard.benchmark.guidelines
    return Row(
        trial=trial,
        model=ablation.model_name,
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
