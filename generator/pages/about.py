"""The method page: a text in Markdown, and the results of audits of the graders."""

from pathlib import Path

from generator.facts.site_data import SiteData
from generator.facts.urls import Link, build_page_frame
from generator.read.guidelines_text import read_method_text
from generator.render.environment import PageContext
from generator.scores.agreement import LEAST_UNITS
from records.text.markdown import render_prose


def build_about_page(site: SiteData, method: Path) -> PageContext:
    """Return the method page, made from the Markdown file ``method``.

    If the file is missing, a sentence replaces its text.

    Raises:
        GeneratorError: the file is not UTF-8.
    """
    text = read_method_text(method)
    repository = site.settings.repository
    base = f"{f'{repository}'.rstrip('/')}/blob/main/docs/" if repository else None
    method_prose = render_prose(text, base=base)
    return PageContext(
        "pages/about.html",
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
