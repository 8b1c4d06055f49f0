"""The frame of a page."""

from generator.facts.urls import SITE_CARD
from generator.render.environment import Frame


def build_page_frame(  # noqa: PLR0913 - the values of the frame
    title: str,
    path: str,
    description: str,
    section: str = "",
    card: str = SITE_CARD,
    *,
    guidelines: bool = True,
) -> Frame:
    """Return the frame of a page; ``path`` ends with a slash, or is empty for the front page.

    ``guidelines`` is false if no model was asked with guidelines for the page's results.
    """
    return Frame(
        title=title,
        description=description,
        root="../" * path.count("/"),
        path=path,
        section=section,
        card=card,
        guidelines=guidelines,
    )
