"""The frame of a page."""

from generator.facts.urls import SITE_CARD
from generator.render.environment import Frame


def page_frame(
    title: str, path: str, description: str, section: str = "", card: str = SITE_CARD
) -> Frame:
    """Return the frame of a page; ``path`` ends with a slash, or is empty for the front page."""
    return Frame(
        title=title,
        description=description,
        root="../" * path.count("/"),
        path=path,
        section=section,
        card=card,
    )
