"""Pages of a site without data."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from generator.facts.links import Link
from generator.facts.page_frame import frame
from generator.facts.site_basics import SiteBasics
from generator.facts.urls import eval_path
from generator.render.environment import Frame


class EmptyPage(NamedTuple):
    """The page where the navigation leads before any measurement."""

    template = "pages/empty.html"

    frame: Frame
    heading: str
    evals: Sequence[Link]
    """Evals of the suite, on the page that lists them."""


NAVIGATION: Final = (
    ("", "Leaderboard", None),
    ("guidelines/", "Effect of the guidelines", "What the guidelines do"),
    ("matrix/", "Matrix", "Evals by models"),
    ("compare/", "Compare", "Compare"),
    ("evals/", "Evals", "Evals"),
)
"""Where the navigation leads: path, title and heading, which for `/` is the site's tagline."""


def empty_page(basics: SiteBasics, path: str, title: str, heading: str | None) -> EmptyPage:
    """Gather the pages where the navigation leads while there is no benchmark version."""
    suite = [Link(eval_path(name), basics.eval_titles[name]) for name in basics.texts]
    return EmptyPage(
        frame=frame(title, path, "Nothing was measured yet.", path.rstrip("/") or "leaderboard"),
        heading=heading or basics.settings.tagline,
        evals=suite if path == "evals/" else (),
    )
