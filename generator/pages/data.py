"""The page of published data: all tables with their columns, as their rows define them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from generator.exports.cards import build_badge_path, choose_badge_label, list_newest_entries
from generator.exports.formats import ROOT
from generator.facts.site_data import SiteData
from generator.facts.urls import (
    ARCHIVE,
    CROISSANT,
    DICTIONARY,
    DOWNLOADS,
    MANIFEST,
    build_board_path,
    build_card_path,
    build_every_eval_ever_path,
    build_model_path,
    build_page_frame,
    build_parquet_path,
    is_in_every_eval_ever,
)
from generator.render.environment import Frame
from generator.tables.columns import ResultTable, TableColumn
from generator.tables.published_tables import TABLES


class TableDescription(NamedTuple):
    """A published table."""

    name: str
    about: str
    href: str
    """The path of the table's files below the root, without `.json` or `.csv`."""
    schema_href: str
    columns: Sequence[TableColumn]


class Badge(NamedTuple):
    """The badge of a model, which other sites may show."""

    name: str
    label: str
    """The words beside the score."""
    picture: str
    """The full address of the badge."""
    page: str
    """The full address of the model's page."""
    card: str
    """The full address of the model's card for link previews."""


class Download(NamedTuple):
    """A file that holds all results, or describes those that do."""

    name: str
    href: str
    about: str


class DataPage(NamedTuple):
    """The page of published data."""

    template = "pages/data.html"

    frame: Frame
    tables: Sequence[TableDescription]
    downloads: Sequence[Download]
    """Files that hold all results; none where the site was built without them."""
    badge: Badge | None
    """The badge of the first model of the front page, as an example; None without models."""


def build_data_page(site: SiteData, *, downloads: bool) -> DataPage:
    """Return the page of published data; with ``downloads`` the site has a snapshot."""
    return DataPage(
        frame=build_page_frame(
            "Data",
            "data/",
            "Every number of the site as JSON and CSV: tables, columns, licence, examples.",
            "data",
        ),
        tables=[_describe_table(table) for table in TABLES],
        downloads=_list_downloads(site) if downloads else [],
        badge=_build_badge(site),
    )


_DOWNLOADS: Final = (
    (ARCHIVE, "Everything below in one archive, without those of boards."),
    (MANIFEST, "Every file with its size and SHA-256."),
    (DICTIONARY, "Every column of every table, in words."),
    (CROISSANT, "The same for searches of datasets, by Croissant 1.1."),
    (build_parquet_path("runs"), "Runs, with settings, times, tokens and costs."),
    (build_parquet_path("attempts"), "Attempts, with verdicts, steps, tokens and costs."),
    (build_parquet_path("tests"), "Every test of every attempt."),
)


def _list_downloads(site: SiteData) -> list[Download]:
    published = [run for run in site.summaries.runs if not run.local]
    archived = {run.version for run in published if is_in_every_eval_ever(run)}
    boards = {run.version for run in published}
    archives = [
        (
            build_board_path(version),
            f"{site.find_version_title(version)}: records, answers and logs of all runs.",
        )
        for version in site.leaderboards
        if version in boards
    ]
    archives += [
        (
            build_every_eval_ever_path(version),
            f"{site.find_version_title(version)}, for Every Eval Ever.",
        )
        for version in site.leaderboards
        if version in archived
    ]
    return [Download(name, DOWNLOADS + name, about) for name, about in (*_DOWNLOADS, *archives)]


def _build_badge(site: SiteData) -> Badge | None:
    models = [entry.newest for _, entry in list_newest_entries(site) if not entry.newest.baseline]
    if not models:
        return None
    run, base = models[0], site.settings.base
    return Badge(
        name=run.name,
        label=choose_badge_label(site.settings, run),
        picture=base + build_badge_path(run.slug),
        page=base + build_model_path(run.slug),
        card=base + build_card_path(run.slug),
    )


def _describe_table(table: ResultTable) -> TableDescription:
    return TableDescription(
        name=table.name,
        about=table.about,
        href=f"{ROOT}/{table.name}",
        schema_href=f"{ROOT}/schemas/{table.name}.json",
        columns=table.list_columns(),
    )
