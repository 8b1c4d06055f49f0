"""The page for addresses without a page."""

from typing import NamedTuple

from generator.facts.urls import SITE_CARD
from generator.render.environment import Frame


class MissingPage(NamedTuple):
    """The page for addresses without a page."""

    template = "pages/missing.html"

    frame: Frame


def build_missing_page() -> MissingPage:
    """Return the page for addresses without a page; its links work at any depth."""
    return MissingPage(
        frame=Frame(
            title="Not found",
            description="There is no page at this address.",
            root="/",
            path="404.html",
            section="",
            card=SITE_CARD,
            guidelines=False,
        )
    )
