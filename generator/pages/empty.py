"""The pages without results: those of a site without data, and that of unknown addresses."""

from typing import Final
from urllib.parse import urlsplit

from generator.facts.site_data import SiteBasics
from generator.facts.urls import SITE_CARD, Link, build_eval_path, build_page_frame
from generator.render.environment import Frame, PageContext

NAVIGATION: Final = (
    ("", "Leaderboard", None),
    ("guidelines/", "Effect of the guidelines", "What the guidelines do"),
    ("matrix/", "Matrix", "Evals by models"),
    ("compare/", "Compare", "Compare"),
    ("evals/", "Evals", "Evals"),
)
"""The pages of the navigation: path, title and heading; None takes the site's tagline."""


def build_empty_page(basics: SiteBasics, path: str, title: str, heading: str | None) -> PageContext:
    """Return the page for an address of the navigation while there is no benchmark version."""
    suite = [Link(build_eval_path(name), basics.eval_titles[name]) for name in basics.texts]
    return PageContext(
        "pages/empty.html",
        frame=build_page_frame(
            title, path, "Nothing was measured yet.", path.rstrip("/") or "leaderboard"
        ),
        heading=heading or basics.settings.tagline,
        evals=suite if path == "evals/" else (),
    )


def build_missing_page(base: str) -> PageContext:
    """Return the page for addresses without a page, of a site at the address ``base``.

    A host serves it at any depth, so its links begin with the path of the site.
    """
    return PageContext(
        "pages/missing.html",
        frame=Frame(
            title="Not found",
            description="There is no page at this address.",
            root=urlsplit(base).path,
            path="404.html",
            section="",
            card=SITE_CARD,
            guidelines=False,
        ),
    )
