"""The list of all ablations of the guidelines."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from generator.facts.ablation_effects import (
    compute_edition_effects,
    find_recorded_runs,
    link_ablated_model,
    list_ablations,
)
from generator.facts.site_data import SiteData
from generator.facts.urls import ModelLink, build_ablation_path, build_page_frame
from generator.render.environment import Frame
from generator.scores.differences.difference import Conclusion
from records.shapes.trial import Edition, GuidelinesTrial


class AblationLine(NamedTuple):
    """An ablation in the list."""

    href: str
    model: ModelLink
    version_title: str
    version_href: str
    day: date
    local: bool
    sections: int
    missed: int
    """The number of sections without which the model is worse, by more than chance."""
    better_without: int
    """The number of sections without which the model is better, by more than chance."""


class AblationsPage(NamedTuple):
    """The list of all ablations."""

    template = "pages/ablations.html"

    frame: Frame
    ablations: Sequence[AblationLine]


def build_ablations_page(site: SiteData) -> AblationsPage:
    """Return the list of ablations, newest first."""
    return AblationsPage(
        frame=build_page_frame(
            "Ablations of the guidelines",
            "ablations/",
            f"What models lose without each section of the {site.settings.guidelines_named}.",
            "guidelines",
        ),
        ablations=[_build_line(site, trial) for trial in list_ablations(site)],
    )


def _build_line(site: SiteData, trial: GuidelinesTrial) -> AblationLine:
    runs = find_recorded_runs(site, trial)
    effects = compute_edition_effects(trial, runs)
    left_out = [effect for effect in effects if effect.run.edition is Edition.LEFT_OUT]
    conclusions = [effect.conclusion for effect in left_out]
    return AblationLine(
        href=build_ablation_path(trial.trial_id),
        model=link_ablated_model(trial, runs),
        version_title=site.find_version_title(trial.benchmark_version),
        version_href=site.build_version_href(trial.benchmark_version),
        day=trial.began_at.date(),
        local=any(run.local for run in runs.values()),
        sections=len(left_out),
        missed=conclusions.count(Conclusion.WORSE),
        better_without=conclusions.count(Conclusion.BETTER),
    )
