"""The files for machines: tables, feed, badges, cards, redirects, search index, sitemap."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from generator.exports.cards import (
    build_badge_path,
    choose_badge_label,
    list_first_models,
    list_newest_entries,
    make_badge,
    make_card,
    make_site_card,
)
from generator.exports.comparison_files import (
    ELSEWHERE,
    make_comparison_files,
    make_elsewhere_file,
)
from generator.exports.formats import (
    WIDE_MATRIX,
    build_terms,
    encode_wide_matrix,
    make_index_file,
    make_table_files,
)
from generator.exports.page_lists import (
    LLMS,
    SEARCH,
    make_feed,
    make_llms_text,
    make_moved,
    make_redirects,
    make_robots,
    make_search_index,
    make_sitemap,
)
from generator.facts.site_data import SiteData
from generator.facts.titles import describe_run_condition
from generator.facts.urls import SITE_CARD, build_card_path, build_reference_path
from generator.read.summaries import format_compact_json
from generator.scores.leaderboards import Entry, Leaderboard
from generator.tables.published_tables import MATRIX, TABLES, build_frames
from records.text.visible import make_visible

Files = Iterable[tuple[str, bytes]]
"""Files as paths below the site's root, with their bytes."""


def export_files(site: SiteData, method: Path) -> Iterator[Callable[[], Files]]:
    """Yield functions that make the files, except tables, the wide matrix and the sitemap.

    ``method`` is the Markdown file of the method page.
    """
    settings, first = site.settings, list_first_models(site)
    single: dict[str, Callable[[], bytes]] = {
        "feed.xml": partial(make_feed, site),
        "_redirects": partial(make_redirects, site),
        "moved.json": partial(make_moved, site),
        SEARCH: partial(make_search_index, site, method),
        ELSEWHERE: partial(make_elsewhere_file, site),
        SITE_CARD: partial(make_site_card, settings.title, settings.tagline, first),
    }
    for path, make in single.items():
        yield lambda path=path, make=make: [(path, make())]
    yield partial(make_reference_files, site)
    for leaderboard in site.leaderboards.values():
        yield partial(make_comparison_files, site, leaderboard)
    for leaderboard, entry in list_newest_entries(site):
        yield partial(_make_pictures, site, leaderboard, entry)


def export_tables(site: SiteData) -> Files:
    """Yield the files of all tables, and the list of tables."""
    frames = build_frames(site)
    rows = {table: table.list_rows(frames[table.columns]) for table in TABLES}
    for table in TABLES:
        yield from make_table_files(table, rows[table])
    yield WIDE_MATRIX, encode_wide_matrix(frames[MATRIX.columns])
    numbers = {table: len(rows[table]) for table in TABLES}
    yield make_index_file(numbers, build_terms(site).known_terms)


def make_page_list(site: SiteData, files: Iterable[str], *, for_programs: bool) -> Files:
    """Yield the sitemap of the pages among ``files``, `robots.txt`, which names it, and `llms.txt`.

    ``for_programs`` says that the site has a snapshot, and each page as Markdown.
    """
    pages = [
        path.removesuffix("index.html")
        for path in files
        if path == "index.html" or path.endswith("/index.html")
    ]
    yield "sitemap.xml", make_sitemap(site.settings, pages)
    yield "robots.txt", make_robots(site.settings)
    yield LLMS, make_llms_text(site, frozenset(pages), for_programs=for_programs)


def _make_pictures(site: SiteData, leaderboard: Leaderboard, entry: Entry) -> Files:
    newest = entry.newest
    slug = newest.slug
    yield build_badge_path(slug), make_badge(entry, choose_badge_label(site.settings, newest))
    version, score = site.find_version_title(leaderboard.version), entry.row.score
    words = describe_run_condition(newest)
    yield build_card_path(slug), make_card(site.settings.title, newest.name, version, words, score)


def make_reference_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Yield a path and a JSON file for each eval, with the files of its reference answer."""
    for name, texts in site.texts.items():
        if texts.reference:
            files = {
                make_visible(path): make_visible(text) for path, text in texts.reference.items()
            }
            yield build_reference_path(name), format_compact_json(files).encode()
