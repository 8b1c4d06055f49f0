"""The text of the guidelines: each section with its effect and the evals that exercise it."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from generator.facts.ablation_effects import list_ablations
from generator.facts.shares import Difference, conclude_in_words, convert_effect_to_points
from generator.facts.site_data import SiteData
from generator.facts.urls import (
    GUIDELINES_TEXT,
    Link,
    build_ablation_path,
    build_eval_path,
    build_page_frame,
)
from generator.read.guidelines_text import GuidelinesText
from generator.render.environment import Frame
from generator.scores.guidelines_effect import EffectPart
from generator.scores.leaderboards import Leaderboard


class SectionEffect(NamedTuple):
    """The effect of the whole guidelines on the evals that exercise a section, in one version."""

    version: Link
    models: int
    """The number of models over which the effect is the mean."""
    evals: int
    difference: Difference
    conclusion: str
    """The conclusion in words, corrected for all sections and categories of the version."""


class GuidelinesSection(NamedTuple):
    """A section of the guidelines."""

    slug: str
    title: str
    text: str
    """The section as Markdown."""
    tokens: int | None
    """The number of tokens; None if nobody counted them."""
    evals: Sequence[Link]
    """The evals of the suite that exercise the section."""
    effects: Sequence[SectionEffect]
    """The effects in the versions that send exactly this text, newest version first."""


class AblationOfText(NamedTuple):
    """A link to an ablation, of this or another text of the guidelines."""

    href: str
    day: date


class GuidelinesTextPage(NamedTuple):
    """The page with the text of the guidelines."""

    template = "pages/guidelines_text.html"

    frame: Frame
    text: GuidelinesText | None
    """None if the suite has no guidelines."""
    sections: Sequence[GuidelinesSection]
    """The sections; empty if the suite has no guidelines."""
    versions: Sequence[Link]
    """The benchmark versions that send exactly this text, newest first."""
    ablations: Sequence[AblationOfText]


def build_guidelines_text_page(site: SiteData) -> GuidelinesTextPage:
    """Return the page with the text of the guidelines."""
    text = site.guidelines
    sending = [
        leaderboard
        for leaderboard in site.leaderboards.values()
        if text is not None and leaderboard.benchmark.guidelines == text.digest
    ]
    return GuidelinesTextPage(
        frame=build_page_frame(
            "The guidelines",
            GUIDELINES_TEXT,
            f"The {site.settings.guidelines_named} that models are given, section by section, with"
            " their effect.",
            "guidelines",
        ),
        text=text,
        sections=[
            _build_section(site, sending, slug, section)
            for slug, section in (text.sections.items() if text else ())
        ],
        versions=[_link_version(site, leaderboard) for leaderboard in sending],
        ablations=[
            AblationOfText(build_ablation_path(leaderboard.trial_id), leaderboard.began_at.date())
            for leaderboard in list_ablations(site)
        ],
    )


def _build_section(
    site: SiteData, sending: Sequence[Leaderboard], slug: str, text: str
) -> GuidelinesSection:
    tokens = site.guidelines.tokens if site.guidelines else None
    return GuidelinesSection(
        slug=slug,
        title=slug.replace("-", " ").capitalize(),
        text=text,
        tokens=tokens.sections.get(slug) if tokens else None,
        evals=[
            Link(build_eval_path(name), leaderboard.title)
            for name, leaderboard in site.texts.items()
            if slug in leaderboard.guidelines
        ],
        effects=[
            _build_effect(
                site,
                leaderboard,
                len(leaderboard.overall.models),
                leaderboard.overall.sections[slug],
            )
            for leaderboard in sending
            if leaderboard.overall is not None and slug in leaderboard.overall.sections
        ],
    )


def _build_effect(
    site: SiteData, leaderboard: Leaderboard, models: int, part: EffectPart
) -> SectionEffect:
    return SectionEffect(
        version=_link_version(site, leaderboard),
        models=models,
        evals=part.evals,
        difference=convert_effect_to_points(part, part.conclusion),
        conclusion=conclude_in_words(
            part.conclusion, part.interval, part.uncorrected, "categories and sections"
        ),
    )


def _link_version(site: SiteData, leaderboard: Leaderboard) -> Link:
    folder = f"{site.find_version_folder(leaderboard.version)}guidelines/"
    return Link(folder, site.titles[leaderboard.version])
