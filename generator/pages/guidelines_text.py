"""The guidelines themselves: each section with its effect and the evals that exercise it."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from generator.facts.ablation_effects import ablations
from generator.facts.links import Link
from generator.facts.page_frame import frame
from generator.facts.shares import Difference
from generator.facts.site_data import SiteData
from generator.facts.statistics import conclude_in_words, difference
from generator.facts.urls import GUIDELINES_TEXT, ablation_path, eval_path
from generator.render.environment import Frame
from generator.scores.guidelines_effect import EffectPart
from generator.scores.leaderboards import Leaderboard


class SectionEffect(NamedTuple):
    """The effect of the whole guidelines, in one version, on the evals that exercise a section."""

    version: Link
    models: int
    """Models it is the mean over."""
    evals: int
    difference: Difference
    conclusion: str
    """Conclusion in words; corrected over all sections and categories of the version."""


class GuidelinesSection(NamedTuple):
    """One section of the guidelines."""

    slug: str
    title: str
    text: str
    """Markdown."""
    tokens: int | None
    """None where nobody counted them."""
    evals: Sequence[Link]
    """Evals of the suite that exercise it."""
    effects: Sequence[SectionEffect]
    """By benchmark version that sent this very text, newest first."""


class AblationOfText(NamedTuple):
    """An ablation of some text of the guidelines."""

    href: str
    day: date


class GuidelinesTextPage(NamedTuple):
    """The suite's guidelines."""

    template = "pages/guidelines_text.html"

    frame: Frame
    preamble: str
    """Markdown; empty where there is none."""
    characters: int
    tokens: int | None
    """None where nobody counted them."""
    encoding: str
    """The vocabulary they are counted by; empty where nobody did."""
    sections: Sequence[GuidelinesSection]
    """Empty where the suite has no guidelines."""
    versions: Sequence[Link]
    """Benchmark versions that send this very text; newest first."""
    ablations: Sequence[AblationOfText]


def guidelines_text_page(site: SiteData) -> GuidelinesTextPage:
    """Gather the text of the guidelines."""
    text = site.guidelines
    sending = [
        leaderboard
        for leaderboard in site.leaderboards.values()
        if text is not None and leaderboard.benchmark.guidelines == text.digest
    ]
    return GuidelinesTextPage(
        frame=frame(
            "The guidelines",
            GUIDELINES_TEXT,
            "The Convex guidelines that models are given, section by section, with their effect.",
            "guidelines",
        ),
        preamble=text.preamble if text else "",
        characters=text.characters if text else 0,
        tokens=text.tokens.tokens if text and text.tokens else None,
        encoding=text.tokens.encoding if text and text.tokens else "",
        sections=[
            _section(site, sending, slug, section)
            for slug, section in (text.sections.items() if text else ())
        ],
        versions=[_version(site, leaderboard) for leaderboard in sending],
        ablations=[
            AblationOfText(ablation_path(leaderboard.trial_id), leaderboard.began_at.date())
            for leaderboard in ablations(site)
        ],
    )


def _section(
    site: SiteData, sending: Sequence[Leaderboard], slug: str, text: str
) -> GuidelinesSection:
    tokens = site.guidelines.tokens if site.guidelines else None
    return GuidelinesSection(
        slug=slug,
        title=slug.replace("-", " ").capitalize(),
        text=text,
        tokens=tokens.sections.get(slug) if tokens else None,
        evals=[
            Link(eval_path(name), leaderboard.title)
            for name, leaderboard in site.texts.items()
            if slug in leaderboard.guidelines
        ],
        effects=[
            _effect(
                site,
                leaderboard,
                len(leaderboard.overall.models),
                leaderboard.overall.sections[slug],
            )
            for leaderboard in sending
            if leaderboard.overall is not None and slug in leaderboard.overall.sections
        ],
    )


def _effect(
    site: SiteData, leaderboard: Leaderboard, models: int, part: EffectPart
) -> SectionEffect:
    return SectionEffect(
        version=_version(site, leaderboard),
        models=models,
        evals=part.evals,
        difference=difference(part, part.conclusion),
        conclusion=conclude_in_words(
            part.conclusion, part.interval, part.uncorrected, "categories and sections"
        ),
    )


def _version(site: SiteData, leaderboard: Leaderboard) -> Link:
    folder = f"{site.place(leaderboard.version)}guidelines/"
    return Link(folder, site.titles[leaderboard.version])
