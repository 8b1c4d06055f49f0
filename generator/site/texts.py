"""Pages of prose: the method, what to do first, and what stands where nothing is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from generator.errors import GeneratorError
from generator.render.environment import Frame
from generator.render.markdown import prose
from generator.site.data import SiteData
from generator.site.grader_audits import AuditSection, audit_section
from generator.site.parts import Link, frame
from generator.site.shared import SiteBasics
from generator.site.urls import SITE_CARD, eval_path


class TextPage(NamedTuple):
    """A page of prose."""

    template = "text.html"

    frame: Frame
    heading: str
    body: str
    """HTML, rendered from markdown and sanitised."""
    contents: Sequence[Link]
    """Its sections."""
    audits: Sequence[AuditSection]
    """What audits of the graders found, the newest first."""


class EmptyPage(NamedTuple):
    """What stands where the navigation leads before anything was measured."""

    template = "empty.html"

    frame: Frame
    heading: str
    evals: Sequence[Link]
    """Those of the suite, on the page that lists them."""


class MissingPage(NamedTuple):
    """What stands where nothing is."""

    template = "404.html"

    frame: Frame


def about_page(site: SiteData, method: Path) -> TextPage:
    """Gather the method page from the markdown file ``method``; it says so if there is none.

    Below it stands what audits of the graders found.

    Raises:
        GeneratorError: the file is no text.
    """
    text = method_text(method)
    repository = site.settings.repository
    base = f"{f'{repository}'.rstrip('/')}/blob/main/docs/" if repository else None
    shown = prose(text, base=base)
    return TextPage(
        frame=frame("Method", "about/", "How scores come about, and what they mean.", "about"),
        heading=shown.title or "Method",
        body=shown.html,
        contents=[
            *(Link(f"#{one.anchor}", one.words) for one in shown.sections),
            Link("#audits", "Audits of the graders"),
        ],
        audits=[
            audit_section(one, site.version_title(one.audit.benchmark_version))
            for one in site.audits
        ],
    )


def method_text(method: Path) -> str:
    """Return the markdown of the method page; it says so where the file is missing.

    Raises:
        GeneratorError: the file is no text.
    """
    try:
        return method.read_text(encoding="utf-8") if method.exists() else _NOTHING
    except UnicodeDecodeError as error:
        raise GeneratorError(f"{method}: {error}") from error


_NOTHING = "The method is not written down yet: `docs/method.md` is missing.\n"


NAVIGATION: Final = (
    ("", "Leaderboard", None),
    ("guidelines/", "Effect of the guidelines", "What the guidelines do"),
    ("matrix/", "Matrix", "Evals by models"),
    ("compare/", "Compare", "Compare"),
    ("evals/", "Evals", "Evals"),
)
"""Where the navigation leads: path, title and heading, which for `/` is the site's tagline."""


def empty_page(basics: SiteBasics, path: str, title: str, heading: str | None) -> EmptyPage:
    """Gather what stands where the navigation leads while there is no benchmark version."""
    suite = [Link(eval_path(name), basics.eval_titles[name]) for name in basics.texts]
    return EmptyPage(
        frame=frame(title, path, "Nothing was measured yet.", path.rstrip("/") or "leaderboard"),
        heading=heading or basics.settings.tagline,
        evals=suite if path == "evals/" else (),
    )


def missing_page() -> MissingPage:
    """Gather the page that stands where nothing is; it may be served at any depth."""
    return MissingPage(
        frame=Frame(
            title="Not found",
            description="There is no page at this address.",
            root="/",
            path="404.html",
            section="",
            card=SITE_CARD,
        )
    )
