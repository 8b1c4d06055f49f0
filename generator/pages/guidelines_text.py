"""The text of the guidelines: each section with its effect and the evals that exercise it."""

from generator.facts import urls
from generator.facts.ablations import list_ablations
from generator.facts.shares import conclude_in_words, convert_effect_to_points
from generator.facts.site_data import SiteData
from generator.render.environment import PageContext, Row


def build_guidelines_text_page(site: SiteData) -> PageContext:
    """Return the page with the text of the guidelines, and the versions that send exactly it."""
    text = site.guidelines
    versions = {
        leaderboard.version: urls.Link(
            f"{site.find_version_folder(leaderboard.version)}guidelines/",
            site.titles[leaderboard.version],
        )
        for leaderboard in site.leaderboards.values()
        if text is not None and leaderboard.benchmark.guidelines == text.digest
    }
    sections: list[Row] = []
    for slug, section in text.sections.items() if text else ():
        effects: list[Row] = []
        for version, link in versions.items():
            overall = site.leaderboards[version].overall
            if overall is not None and slug in overall.sections:
                part = overall.sections[slug]
                effects.append(
                    Row(
                        version=link,
                        models=len(overall.models),
                        evals=part.evals,
                        difference=convert_effect_to_points(part, part.conclusion),
                        conclusion=conclude_in_words(
                            part.conclusion,
                            part.interval,
                            part.uncorrected,
                            "categories and sections",
                        ),
                    )
                )
        tokens = text.tokens if text else None
        sections.append(
            Row(
                slug=slug,
                title=slug.replace("-", " ").capitalize(),
                text=section,
                tokens=tokens.sections.get(slug) if tokens else None,
                evals=[
                    urls.Link(urls.build_eval_path(name), texts.title)
                    for name, texts in site.texts.items()
                    if slug in texts.guidelines
                ],
                effects=effects,
            )
        )
    return PageContext(
        "pages/guidelines_text.html",
        frame=urls.build_page_frame(
            "The guidelines",
            urls.GUIDELINES_TEXT,
            f"The {site.settings.guidelines_named} that models are given, section by section, with"
            " their effect.",
            "guidelines",
        ),
        text=text,
        sections=sections,
        versions=[*versions.values()],
        ablations=[
            Row(href=urls.build_ablation_path(trial.trial_id), day=trial.began_at.date())
            for trial in list_ablations(site)
        ],
    )
