"""The page for addresses without a page."""

from typing import NamedTuple
from urllib.parse import urlsplit

from generator.facts.urls import SITE_CARD
from generator.render.environment import Frame


class MissingPage(NamedTuple):
    """The page for addresses without a page."""

    template = "pages/missing.html"

    frame: Frame


def build_missing_page(base: str) -> MissingPage:
    """Return the page for addresses without a page, of a site at the address ``base``.

    A host serves it at any depth, so its links begin with the path of the site.
    """
    return MissingPage(
        frame=Frame(
            title="Not found",
            description="There is no page at this address.",
            root=urlsplit(base).path,
            path="404.html",
            section="",
            card=SITE_CARD,
            guidelines=False,
        )
    )
