"""The files for machines: tables, feed, badges, cards, redirects, search index, sitemap."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from generator.digests import key_of
from generator.exports.answer_files import reference_files
from generator.exports.badges import badge, badge_label, badge_path
from generator.exports.cards import card, site_card
from generator.exports.comparison_files import comparison_files, elsewhere_file
from generator.exports.featured import first_of_site, newest_entries
from generator.exports.feed import feed
from generator.exports.formats import index_file, table_files, wide_file
from generator.exports.llms import LLMS, llms_text
from generator.exports.published_tables import lines_of, matrix_rows
from generator.exports.redirects import redirects
from generator.exports.search import SEARCH, search_index
from generator.exports.sitemap import robots, sitemap
from generator.exports.table_rows import TABLES, MatrixRow
from generator.exports.terms import terms_of
from generator.facts.site_data import SiteData
from generator.facts.titles import condition_of
from generator.facts.urls import SITE_CARD, card_path
from generator.scores.leaderboards import Entry, Leaderboard

Files = Iterable[tuple[str, bytes]]
"""Files as paths below the site's root, with their bytes."""


def export_files(site: SiteData, method: Path) -> Iterator[Callable[[], Files]]:
    """Yield functions that make the files, except tables, the wide matrix and the sitemap.

    ``method`` is the Markdown file of the method page.
    """
    yield partial(_feed, site)
    yield partial(_redirects, site)
    yield partial(_search, site, method)
    yield partial(reference_files, site)
    yield partial(_make_elsewhere_file, site)
    yield partial(_site_card, site)
    for leaderboard in site.leaderboards.values():
        yield partial(comparison_files, site, leaderboard)
    for leaderboard, entry in newest_entries(site):
        yield partial(_pictures, site, leaderboard, entry)


def tables(site: SiteData) -> Files:
    """Yield the files of all tables except the wide matrix, and the list of tables."""
    lines = {kind: lines_of(site, kind) for kind in TABLES}
    for kind in TABLES:
        yield from table_files(kind, lines[kind])
    yield index_file({kind: len(lines[kind]) for kind in TABLES}, terms_of(site).known_terms)


def wide_matrix(site: SiteData) -> tuple[str, bytes]:
    """Return the wide matrix: a row for each eval, a column for each model. Imports pandas."""
    return wide_file(
        [row for leaderboard in site.leaderboards.values() for row in matrix_rows(leaderboard)]
    )


def wide_matrix_key(site: SiteData) -> str:
    """Return a digest of the rows from which the wide matrix is made."""
    return key_of([line.csv for line in lines_of(site, MatrixRow)])


def page_list(site: SiteData, files: Iterable[str], *, for_programs: bool) -> Files:
    """Yield the sitemap of the pages among ``files``, `robots.txt`, which names it, and `llms.txt`.

    ``for_programs`` says that the site has a snapshot, and each page as Markdown.
    """
    pages = [
        path.removesuffix("index.html")
        for path in files
        if path == "index.html" or path.endswith("/index.html")
    ]
    yield "sitemap.xml", sitemap(site.settings, pages)
    yield "robots.txt", robots(site.settings)
    yield LLMS, llms_text(site, frozenset(pages), for_programs=for_programs)


def _feed(site: SiteData) -> Files:
    yield "feed.xml", feed(site)


def _redirects(site: SiteData) -> Files:
    yield "_redirects", redirects(site)


def _search(site: SiteData, method: Path) -> Files:
    yield SEARCH, search_index(site, method)


def _make_elsewhere_file(site: SiteData) -> Files:
    yield elsewhere_file(site)


def _site_card(site: SiteData) -> Files:
    yield SITE_CARD, site_card(site.settings.title, site.settings.tagline, first_of_site(site))


def _pictures(site: SiteData, leaderboard: Leaderboard, entry: Entry) -> Files:
    newest = entry.newest
    slug = newest.slug
    yield badge_path(slug), badge(entry, badge_label(site.settings, newest))
    version, score = site.version_title(leaderboard.version), entry.row.score
    words = condition_of(newest)
    yield card_path(slug), card(site.settings.title, newest.name, version, words, score)
