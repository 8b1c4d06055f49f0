"""The page of the guidelines' effect: the same models at the same evals, with and without them."""

from collections.abc import Sequence

from generator import site_links
from generator.blocks import shares
from generator.blocks.progress_chart import build_month_chart, explain_missing_months
from generator.blocks.uncounted_runs import find_awaiting
from generator.exports.cards import choose_board_card
from generator.pages.ablation import build_ablation_finding
from generator.render.templates import PageContext, Row
from generator.scores.differences.difference import Difference
from generator.scores.guidelines_effect import GuidelinesEffect
from generator.scores.leaderboards import Entry, Leaderboard
from generator.site_data import SiteData
from records.suites.experiments import DEFAULT, NO_GUIDELINES

_Side = tuple[Entry, Entry, GuidelinesEffect]
"""A model's entries with and without the guidelines, and the effect."""


def build_guidelines_page(site: SiteData, leaderboard: Leaderboard) -> PageContext:
    """Return the page of the guidelines' effect in ``leaderboard``."""
    folder = site.find_version_folder(leaderboard.version)
    sides = [
        (first, other, effect)
        for effect in leaderboard.effects
        if (first := leaderboard.find(effect.with_them.slug, DEFAULT)) is not None
        and (other := leaderboard.find(effect.with_them.slug, NO_GUIDELINES)) is not None
        and not effect.with_them.baseline
    ]
    evals, scored, overall = leaderboard.list_eval_names(), leaderboard.scored, leaderboard.overall
    models: list[Row] = []
    for side in sides:
        newest, effect = side[0].newest, side[2]
        line = _build_line(
            newest.name, site_links.build_model_path(newest.slug), effect.difference, [side], evals
        )
        line.smallest = effect.smallest_effect
        line.attributed = effect.attributed
        models.append(line)
    all_models, categories, sections, held_out = None, list[Row](), list[Row](), list[Row]()
    if overall is not None:
        if len(sides) > 1:
            all_models = _build_line("All models", None, overall.whole, sides, evals)
            all_models.attributed = overall.attributed
        for key, part in overall.categories.items():
            link = site.link_category(leaderboard.version, key)
            names = leaderboard.list_eval_names(key)
            categories.append(_build_line(link.label, link.href, part, sides, names))
        for name, part in overall.sections.items():
            names = [scored.evals[int(at)] for at in scored.by_section[name]]
            href = site.find_section_href(name)
            sections.append(_build_line(name, href, part, sides, names))
        for label, part in overall.held_out.items():
            names = [scored.evals[int(at)] for at in scored.by_holding_out[label]]
            held_out.append(_build_line(label.capitalize(), None, part, sides, names))
    months_unknown = explain_missing_months(site, leaderboard)
    return PageContext(
        "pages/guidelines.html",
        f"Effect of the guidelines: {site.titles[leaderboard.version]}",
        f"{folder}guidelines/",
        f"How much better models write {site.settings.code} with the guidelines in their"
        " prompt: paired, eval by eval.",
        "" if folder else "guidelines",
        choose_board_card(site, leaderboard, "guidelines"),
        board=leaderboard,
        basics=site,
        models=models,
        months=None if months_unknown else build_month_chart(site, leaderboard),
        months_unknown=months_unknown,
        overall=all_models,
        by_category=categories,
        by_section=sections,
        held_out=held_out,
        moved=_build_moved_evals(site, sides),
        unpaired=_find_unpaired(site, leaderboard),
        ablations=len(site.ablations),
        findings=[
            finding
            for ablation in site.ablations
            if ablation.trial.benchmark_version == leaderboard.version
            and (finding := build_ablation_finding(site, ablation)).sections
        ],
    )


def _build_line(
    label: str,
    href: str | None,
    difference: Difference,
    sides: Sequence[_Side],
    evals: Sequence[str],
) -> Row:
    """Return the line of an effect over ``evals``."""
    chosen, changes = {*evals}, [effect.difference for _, _, effect in sides]
    fixed = sum(len(chosen.intersection(change.fixed)) for change in changes)
    broken = sum(len(chosen.intersection(change.broken)) for change in changes)
    return Row(
        label=label,
        href=href,
        with_guidelines=shares.add_shares(
            shares.compute_entry_share(first, evals) for first, _, _ in sides
        ),
        without=shares.add_shares(
            shares.compute_entry_share(other, evals) for _, other, _ in sides
        ),
        difference=difference,
        fixed=fixed,
        broken=broken,
        same=len(sides) * len(evals) - fixed - broken,
        smallest=None,
        conclusion=shares.conclude_in_words(difference),
        attributed=None,
    )


def _build_moved_evals(site: SiteData, sides: Sequence[_Side]) -> list[Row]:
    """Return the evals that the guidelines fixed or broke for some model; most broken first.

    Each has the entries of these models with and without the guidelines.
    """
    moved: dict[str, Row] = {}
    for first, other, effect in sides:
        fixed = effect.difference.fixed
        for name in (*fixed, *effect.difference.broken):
            row = moved.setdefault(name, Row(eval=site.link_eval(name), fixed=[], broken=[]))
            (row.fixed if name in fixed else row.broken).append((first, other))
    return sorted(
        moved.values(), key=lambda row: (-len(row.broken), -len(row.fixed), row.eval.name)
    )


def _find_unpaired(site: SiteData, leaderboard: Leaderboard) -> list[Row]:
    """Return the models with runs that count under one condition only."""
    paired = {effect.with_them.slug for effect in leaderboard.effects}
    alone = {entry.newest.slug: entry.newest for entry in leaderboard.select_models()}
    unpaired: list[Row] = []
    for slug, run in sorted(alone.items()):
        if slug not in paired:
            other = DEFAULT if run.experiment == NO_GUIDELINES else NO_GUIDELINES
            waiting = find_awaiting(site, run.version, slug, other)
            unpaired.append(Row(run=run, lacking=other, waiting=waiting))
    return unpaired


def build_guidelines_text_page(site: SiteData) -> PageContext:
    """Return the page with the text of the guidelines, and the versions that send exactly it."""
    text = site.guidelines
    boards = [
        leaderboard
        for leaderboard in site.leaderboards.values()
        if text is not None and leaderboard.benchmark.guidelines == text.digest
    ]
    sections: list[Row] = []
    for slug, section in text.sections.items() if text else ():
        effects = [
            Row(board=board, difference=part, conclusion=shares.conclude_in_words(part))
            for board in boards
            if board.overall is not None and (part := board.overall.sections.get(slug))
        ]
        evals = [name for name, texts in site.texts.items() if slug in texts.guidelines]
        sections.append(Row(slug=slug, text=section, evals=evals, effects=effects))
    return PageContext(
        "pages/guidelines_text.html",
        "The guidelines",
        site_links.GUIDELINES_TEXT,
        f"The {site.settings.guidelines_named} that models are given, section by section, with"
        " their effect.",
        "guidelines",
        text=text,
        sections=sections,
        basics=site,
        boards=boards,
    )
