"""Pages of prose: the method, first steps, and pages without data."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from generator.errors import GeneratorError
from generator.render.environment import Frame
from generator.site.data import SiteData
from generator.site.grader_audits import AuditSection, audit_section
from generator.site.parts import Link, frame
from generator.site.shared import SiteBasics
from generator.site.urls import SITE_CARD, eval_path
from records.text.markdown import prose


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
    """Results of audits of the graders, the newest first."""


class EmptyPage(NamedTuple):
    """The page where the navigation leads before any measurement."""

    template = "empty.html"

    frame: Frame
    heading: str
    evals: Sequence[Link]
    """Evals of the suite, on the page that lists them."""


class MissingPage(NamedTuple):
    """The page for addresses without a page."""

    template = "404.html"

    frame: Frame


def about_page(site: SiteData, method: Path) -> TextPage:
    """Gather the method page from the markdown file ``method``; a sentence replaces a missing file.

    The results of audits of the graders stand below it.

    Raises:
        GeneratorError: the file is no text.
    """
    text = method_text(method)
    repository = site.settings.repository
    base = f"{f'{repository}'.rstrip('/')}/blob/main/docs/" if repository else None
    method_prose = prose(text, base=base)
    return TextPage(
        frame=frame("Method", "about/", "How scores come about, and what they mean.", "about"),
        heading=method_prose.title or "Method",
        body=method_prose.html,
        contents=[
            *(Link(f"#{audit.anchor}", audit.words) for audit in method_prose.sections),
            Link("#audits", "Audits of the graders"),
        ],
        audits=[
            audit_section(audit, site.version_title(audit.audit.benchmark_version))
            for audit in site.audits
        ],
    )


def method_text(method: Path) -> str:
    """Return the markdown of the method page; a sentence where the file is missing.

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
    """Gather the pages where the navigation leads while there is no benchmark version."""
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
