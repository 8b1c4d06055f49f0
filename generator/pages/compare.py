"""The page of comparisons: neighbours in the ranking, and any two models by a script.

The pairs of all models would grow with the square of their number. So the page has only the
neighbours, and a script compares other models from the files of
`generator.exports.comparison_files`, of which there is one for each model.
"""

from itertools import pairwise

from generator import site_links
from generator.blocks import shares
from generator.exports.cards import choose_board_card
from generator.render.templates import PageContext, Row
from generator.scores.leaderboards import Leaderboard
from generator.scores.shared_evals import compare_across, find_shared_evals
from generator.site_data import SiteData
from records.grouping import group_values
from records.suites.experiments import DEFAULT, NO_GUIDELINES


def build_compare_page(site: SiteData, leaderboard: Leaderboard) -> PageContext:
    """Return the page of comparisons of the entries of ``leaderboard``."""
    folder, title = site.find_version_folder(leaderboard.version), site.titles[leaderboard.version]
    entries = leaderboard.baselines_last
    conditions = group_values(
        (site_links.describe_run_condition(entry.newest), entry)
        for entry in leaderboard.select_models()
    )
    rankings: list[Row] = []
    for condition, ranked in conditions.items():
        pairs: list[Row] = []
        for first, second in pairwise(ranked):
            against = leaderboard.compare_pair(first, second)
            words = shares.describe_conclusion(against)
            pairs.append(Row(first=first, second=second, against=against, words=words))
        if pairs:
            rankings.append(Row(title=condition.capitalize(), pairs=pairs))
    return PageContext(
        "pages/compare.html",
        f"Compare: {title}",
        f"{folder}compare/",
        f"Models of {title} against one another, eval by eval.",
        "" if folder else "compare",
        choose_board_card(site, leaderboard, "compare"),
        guidelines=not leaderboard.is_of_other_tool,
        board=leaderboard,
        basics=site,
        choices=[
            (entry.key, label)
            for entry, label in zip(entries, shares.label_columns(entries), strict=True)
        ],
        models=len(leaderboard.select_models()),
        rankings=rankings,
        across=list_other_versions(site, leaderboard),
        # The pages of models' newest runs with and without guidelines, best model first.
        both_ways=[
            pair
            for entry in entries
            if entry.newest.experiment == DEFAULT
            and (bare := leaderboard.find(entry.newest.slug, NO_GUIDELINES))
            and (pair := site.find_newest_pair(entry, bare))
        ],
    )


def list_other_versions(site: SiteData, leaderboard: Leaderboard) -> list[Row]:
    """Return the other versions with models that this version lacks and evals of the same names.

    Only models that were asked with the guidelines are compared, with the first of this version.
    """
    here = leaderboard.select_models(DEFAULT)
    slugs = {entry.newest.slug for entry in here}
    versions: list[Row] = []
    for other in site.leaderboards.values():
        entries = [each for each in other.select_models(DEFAULT) if each.newest.slug not in slugs]
        shared = find_shared_evals(leaderboard.benchmark, other.benchmark)
        is_here = other.version == leaderboard.version
        if is_here or not here or not entries or not shared.named:
            continue
        if shared.unequal is not None:
            versions.append(Row(version=other.version, shared=shared, models=len(entries)))
            continue
        differences = compare_across(leaderboard, here, other, entries, shared.equal)
        lines = [
            Row(
                run=entry.newest,
                share=shares.compute_entry_share(entry, shared.equal),
                difference=difference,
                conclusion=shares.conclude_in_words(difference),
            )
            for entry, difference in zip(entries, differences, strict=True)
        ]
        versions.append(
            Row(
                version=other.version,
                shared=shared,
                first=here[0].newest,
                first_share=shares.compute_entry_share(here[0], shared.equal),
                lines=sorted(lines, key=lambda line: -line.share.passed),
            )
        )
    return versions
