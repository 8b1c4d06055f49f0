"""Every file that machines read: tables, the feed, badges, cards, the list of all pages."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from generator.exports.badges import badge, badge_path
from generator.exports.featured import newest_entries
from generator.exports.feed import feed
from generator.exports.formats import index_file, table_files, wide_file
from generator.exports.rows import TABLES, ExportRow, MatrixRow
from generator.exports.sitemap import robots, sitemap
from generator.exports.tables import lines_of, rows_in, rows_of
from generator.read.settings import SiteSettings
from generator.scores.leaderboards import Entry, Leaderboard
from generator.site.data import SiteData
from generator.site.urls import SITE_CARD, card_path

Files = Iterable[tuple[str, bytes]]
"""Paths below the site's root, and what stands there."""


def export_files(site: SiteData) -> Iterator[Callable[[], Files]]:
    """Yield what makes each of them, but for the list of all pages."""
    for kind in TABLES:
        yield partial(_table, site, kind)
    yield partial(_index, site)
    yield partial(_feed, site)
    yield partial(_site_card, site)
    for leaderboard, entry in newest_entries(site):
        yield partial(_pictures, site, leaderboard, entry)


def page_list(settings: SiteSettings, files: Iterable[str]) -> Files:
    """Yield the list of all pages among ``files``, and what says where it is."""
    pages = [
        path.removesuffix("index.html")
        for path in files
        if path == "index.html" or path.endswith("/index.html")
    ]
    yield "sitemap.xml", sitemap(settings, pages)
    yield "robots.txt", robots(settings)


def _table(site: SiteData, kind: type[ExportRow]) -> Files:
    yield from table_files(kind, lines_of(site, kind))
    if kind is MatrixRow:
        yield wide_file(rows_of(site, kind))


def _index(site: SiteData) -> Files:
    yield index_file({kind: rows_in(site, kind) for kind in TABLES})


def _feed(site: SiteData) -> Files:
    yield "feed.xml", feed(site)


def _site_card(site: SiteData) -> Files:
    from generator.exports.cards import site_card  # noqa: PLC0415 - see above

    yield SITE_CARD, site_card(site)


def _pictures(site: SiteData, leaderboard: Leaderboard, entry: Entry) -> Files:
    from generator.exports.cards import card  # noqa: PLC0415 - see above

    slug = entry.newest.slug
    yield badge_path(slug), badge(entry)
    yield card_path(slug), card(site, leaderboard, entry)
