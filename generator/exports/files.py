"""The files for machines except tables: feed, badges, cards, redirects, search, sitemap."""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from pydantic_core import to_json

from generator import site_links
from generator.exports import cards, comparison_files, page_lists
from generator.scores.leaderboards import Entry
from generator.site_data import SiteData
from records.text.visible import make_visible

Files = Iterable[tuple[str, bytes]]
"""Files as paths below the site's root, with their bytes."""


def export_files(site: SiteData) -> Iterator[Callable[[], Files]]:
    """Yield functions that make the files, except tables and the lists of pages."""
    yield partial(_make_single_files, site)
    for leaderboard in site.leaderboards.values():
        yield partial(comparison_files.make_comparison_files, site, leaderboard)
    for entry in site.newest_entries.values():
        yield partial(_make_pictures, site, entry)


def make_page_list(site: SiteData, files: Iterable[str]) -> Files:
    """Yield the sitemap of the pages among ``files``, `robots.txt` naming it, and `llms.txt`."""
    pages = [
        path.removesuffix("index.html")
        for path in files
        if path == "index.html" or path.endswith("/index.html")
    ]
    yield "sitemap.xml", page_lists.make_sitemap(site.settings, pages)
    robots = f"User-agent: *\nAllow: /\nSitemap: {site.settings.base}sitemap.xml\n"
    yield "robots.txt", robots.encode()
    yield "llms.txt", page_lists.make_llms_text(site, frozenset(pages))


def _make_pictures(site: SiteData, entry: Entry) -> Files:
    """Yield the badge and the card of a model."""
    newest, settings = entry.newest, site.settings
    label = cards.choose_badge_label(settings, newest)
    yield cards.build_badge_path(newest.slug), cards.make_badge(entry, label)
    version, words = site.titles[newest.version], site_links.describe_run_condition(newest)
    card = cards.make_card(settings.title, newest.name, version, words, entry.row.score)
    yield site_links.build_card_path(newest.slug), card


def _make_single_files(site: SiteData) -> Files:
    """Yield the files that belong to no single version or model, and those of each eval."""
    yield "feed.xml", page_lists.make_feed(site)
    rules = [*page_lists.list_redirects(site)]
    # For Netlify and similar hosts.
    yield "_redirects", "".join(f"/{old} /{new} {code}\n" for old, new, code in rules).encode()
    # For the page of missing addresses.
    yield "moved.json", json.dumps([[old, new] for old, new, _ in rules]).encode() + b"\n"
    yield "search.json", page_lists.make_search_index(site)
    yield "compare/elsewhere.json", comparison_files.make_elsewhere_file(site)
    yield "icon.png", cards.make_icon()
    for path, describe in cards.BOARD_CARDS.items():
        if card := describe(site):
            yield path, cards.make_board_card(card)
    for name, texts in site.texts.items():
        for path, files in (
            (site_links.build_reference_path(name), texts.reference),
            (site_links.build_given_path(name), texts.given),
        ):
            visible = {make_visible(file): make_visible(text) for file, text in files.items()}
            if visible:
                yield path, to_json(visible)
