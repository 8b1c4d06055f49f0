"""The pages of a site without data, at the addresses of the navigation."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from generator.facts.site_data import SiteBasics
from generator.facts.urls import Link, build_eval_path, build_page_frame
from generator.render.environment import Frame


class EmptyPage(NamedTuple):
    """The page at an address of the navigation while nothing was measured."""

    template = "pages/empty.html"

    frame: Frame
    heading: str
    evals: Sequence[Link]
    """The evals of the suite; empty except on the list of evals."""


NAVIGATION: Final = (
    ("", "Leaderboard", None),
    ("guidelines/", "Effect of the guidelines", "What the guidelines do"),
    ("matrix/", "Matrix", "Evals by models"),
    ("compare/", "Compare", "Compare"),
    ("evals/", "Evals", "Evals"),
)
"""The pages of the navigation: path, title and heading; None takes the site's tagline."""


def build_empty_page(basics: SiteBasics, path: str, title: str, heading: str | None) -> EmptyPage:
    """Return the page for an address of the navigation while there is no benchmark version."""
    suite = [Link(build_eval_path(name), basics.eval_titles[name]) for name in basics.texts]
    return EmptyPage(
        frame=build_page_frame(
            title, path, "Nothing was measured yet.", path.rstrip("/") or "leaderboard"
        ),
        heading=heading or basics.settings.tagline,
        evals=suite if path == "evals/" else (),
    )
