"""The sitemap and robots.txt, for search engines."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from functools import lru_cache

from generator.read.site_settings import SiteSettings

_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def make_sitemap(settings: SiteSettings, pages: Iterable[str]) -> bytes:
    """Return the sitemap with the full addresses of ``pages``."""
    return _encode_sitemap(tuple(settings.base + path for path in sorted(pages)))


@lru_cache(maxsize=1)
def _encode_sitemap(addresses: tuple[str, ...]) -> bytes:
    root = ET.Element("urlset", xmlns=_NAMESPACE)
    for address in addresses:
        ET.SubElement(ET.SubElement(root, "url"), "loc").text = address
    return encode_xml(root)


def make_robots(settings: SiteSettings) -> bytes:
    """Return `robots.txt`, which allows all pages and names the sitemap."""
    return f"User-agent: *\nAllow: /\nSitemap: {settings.base}sitemap.xml\n".encode()


def encode_xml(root: ET.Element) -> bytes:
    """Return an XML document, indented."""
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
