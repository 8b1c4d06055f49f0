"""What machines read of the site: tables as JSON and CSV, feed, sitemap, badges, cards."""

from collections.abc import Iterable, Iterator

from generator.downloads.badges import badges
from generator.downloads.cards import cards
from generator.downloads.feed import feed
from generator.downloads.formats import table_files
from generator.downloads.sitemap import robots, sitemap
from generator.downloads.tables import tables
from generator.pages.material import Material

__all__ = ["downloads"]


def downloads(material: Material, pages: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield every file by its path below the root; ``pages`` are the paths of all pages."""
    yield from table_files(tables(material))
    yield "feed.xml", feed(material)
    yield "sitemap.xml", sitemap(material.settings, pages)
    yield "robots.txt", robots(material.settings)
    yield from badges(material)
    yield from cards(material)
