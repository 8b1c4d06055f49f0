"""The page of published data: all tables with their columns, as their rows define them."""

from typing import Final

from generator.exports.cards import build_badge_path, choose_badge_label, list_newest_entries
from generator.exports.formats import ROOT
from generator.facts import urls
from generator.facts.site_data import SiteData
from generator.render.environment import PageContext, Row
from generator.tables.published_tables import TABLES


def build_data_page(site: SiteData, *, downloads: bool) -> PageContext:
    """Return the page of published data; with ``downloads`` the site has a snapshot."""
    return PageContext(
        "pages/data.html",
        frame=urls.build_page_frame(
            "Data",
            "data/",
            "Every number of the site as JSON and CSV: tables, columns, licence, examples.",
            "data",
        ),
        tables=[
            Row(
                name=table.name,
                about=table.about,
                href=f"{ROOT}/{table.name}",
                schema_href=f"{ROOT}/schemas/{table.name}.json",
                columns=table.list_columns(),
            )
            for table in TABLES
        ],
        downloads=_list_downloads(site) if downloads else [],
        badge=_build_badge(site),
    )


_DOWNLOADS: Final = (
    (urls.ARCHIVE, "Everything below in one archive, without those of boards."),
    (urls.MANIFEST, "Every file with its size and SHA-256."),
    (urls.DICTIONARY, "Every column of every table, in words."),
    (urls.CROISSANT, "The same for searches of datasets, by Croissant 1.1."),
    (urls.build_parquet_path("runs"), "Runs, with settings, times, tokens and costs."),
    (urls.build_parquet_path("attempts"), "Attempts, with verdicts, steps, tokens and costs."),
    (urls.build_parquet_path("tests"), "Every test of every attempt."),
)


def _list_downloads(site: SiteData) -> list[Row]:
    """Return the files that hold all results, or describe those that do."""
    published = [run for run in site.summaries.runs if not run.local]
    archived = {run.version for run in published if urls.is_in_every_eval_ever(run)}
    boards, archives = {run.version for run in published}, list[tuple[str, str]]()
    for version in [version for version in site.leaderboards if version in boards]:
        what = f"{site.find_version_title(version)}: records, answers and logs of all runs."
        archives.append((urls.build_board_path(version), what))
    for version in [version for version in site.leaderboards if version in archived]:
        what = f"{site.find_version_title(version)}, for Every Eval Ever."
        archives.append((urls.build_every_eval_ever_path(version), what))
    return [
        Row(name=name, href=urls.DOWNLOADS + name, about=about)
        for name, about in (*_DOWNLOADS, *archives)
    ]


def _build_badge(site: SiteData) -> Row | None:
    models = [entry.newest for _, entry in list_newest_entries(site) if not entry.newest.baseline]
    if not models:
        return None
    run, base = models[0], site.settings.base
    return Row(
        name=run.name,
        label=choose_badge_label(site.settings, run),
        picture=base + build_badge_path(run.slug),
        page=base + urls.build_model_path(run.slug),
        card=base + urls.build_card_path(run.slug),
    )
