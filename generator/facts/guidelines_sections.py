"""Links to the sections of the guidelines."""

from generator.facts.site_data import SiteData
from generator.facts.urls import build_section_href


def find_section_href(site: SiteData, slug: str) -> str | None:
    """Return the address of a section of the guidelines; None if the text has no such section."""
    if site.guidelines is None or slug not in site.guidelines.sections:
        return None
    return build_section_href(slug)
