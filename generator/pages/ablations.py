"""Ablations of the guidelines: the losses of a model without each section, or with a placebo."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from generator.facts.ablation_effects import ablated_model, ablations, effects_of, recorded
from generator.facts.links import ModelLink
from generator.facts.page_frame import frame
from generator.facts.site_data import SiteData
from generator.facts.urls import ablation_path
from generator.render.environment import Frame
from generator.scores.differences.difference import Conclusion
from records.shapes.trial import Edition, GuidelinesTrial


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
    """Sections without which the model is worse, by more than chance."""
    better_without: int
    """Sections without which it is better."""


class AblationsPage(NamedTuple):
    """All ablations."""

    template = "pages/ablations.html"

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


def _listed(site: SiteData, trial: GuidelinesTrial) -> AblationLine:
    runs = recorded(site, trial)
    effects = effects_of(trial, runs)
    left_out = [effect for effect in effects if effect.run.edition is Edition.LEFT_OUT]
    conclusions = [effect.conclusion for effect in left_out]
    return AblationLine(
        href=ablation_path(trial.trial_id),
        model=ablated_model(trial, runs),
        version_title=site.version_title(trial.benchmark_version),
        version_href=site.version_href(trial.benchmark_version),
        day=trial.began_at.date(),
        local=any(run.local for run in runs.values()),
        sections=len(left_out),
        missed=conclusions.count(Conclusion.WORSE),
        better_without=conclusions.count(Conclusion.BETTER),
    )
