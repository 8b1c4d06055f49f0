"""The method page: a text in Markdown, and the results of audits of the graders."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from generator.facts.site_data import SiteData
from generator.facts.urls import Link, build_page_frame
from generator.read.guidelines_text import read_method_text
from generator.render.environment import Frame
from generator.scores.agreement import LEAST_UNITS
from generator.scores.grader_audit import AuditFindings
from records.text.markdown import render_prose


class AboutPage(NamedTuple):
    """The method page."""

    template = "pages/about.html"

    frame: Frame
    heading: str
    body: str
    """HTML, rendered from Markdown and sanitised."""
    contents: Sequence[Link]
    """Links to the sections of the page."""
    audits: Sequence[tuple[AuditFindings, str]]
    """The results of audits of the graders, newest first, each with its benchmark version."""
    needed: int
    """Agreement is shown only if two people judged at least so many attempts."""


def build_about_page(site: SiteData, method: Path) -> AboutPage:
    """Return the method page, made from the Markdown file ``method``.

    If the file is missing, a sentence replaces its text.

    Raises:
        GeneratorError: the file is not UTF-8.
    """
    text = read_method_text(method)
    repository = site.settings.repository
    base = f"{f'{repository}'.rstrip('/')}/blob/main/docs/" if repository else None
    method_prose = render_prose(text, base=base)
    return AboutPage(
        frame=build_page_frame(
            "Method", "about/", "How scores come about, and what they mean.", "about"
        ),
        heading=method_prose.title or "Method",
        body=method_prose.html,
        contents=[
            *(Link(f"#{audit.anchor}", audit.words) for audit in method_prose.sections),
            *([Link("#audits", "Audits of the graders")] if not site.only_imports else []),
        ],
        audits=[
            (audit, site.find_version_title(audit.audit.benchmark_version)) for audit in site.audits
        ],
        needed=LEAST_UNITS,
    )
