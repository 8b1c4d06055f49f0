"""Links to the sections of the guidelines."""

from generator.facts.site_data import SiteData
from generator.facts.urls import section_href


def section_link(site: SiteData, slug: str) -> str | None:
    """Return the address of a section of the guidelines; None if the text has no such section."""
    if site.guidelines is None or slug not in site.guidelines.sections:
        return None
    return section_href(slug)
