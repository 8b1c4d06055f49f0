"""The list of all pages except those of runs and pairs of runs; new pages are added here."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from generator.facts.ablation_effects import ablations
from generator.facts.site_data import SiteData
from generator.facts.urls import eval_path, filed_path, model_path, version_path
from generator.pages.ablation import ablation_page
from generator.pages.ablations import ablations_page
from generator.pages.about import about_page
from generator.pages.benchmarks import benchmarks_page
from generator.pages.category import category_page
from generator.pages.changes import changes_page
from generator.pages.compare import compare_page
from generator.pages.empty import NAVIGATION, empty_page
from generator.pages.errata import errata_page
from generator.pages.eval import eval_page
from generator.pages.evals import evals_page
from generator.pages.guidelines import guidelines_page
from generator.pages.guidelines_text import guidelines_text_page
from generator.pages.leaderboard import BOTH, CONDITIONS, table_page
from generator.pages.matrix import MATRICES, matrix_page, matrix_parts
from generator.pages.missing import missing_page
from generator.pages.model import model_page
from generator.pages.models import models_page
from generator.pages.report import report_page
from generator.pages.reports import reports_page
from generator.render.environment import PageContext
from generator.scores.leaderboards import Leaderboard

Gather = Callable[[], PageContext]
"""A function that gathers the context of a page."""


class SitePage(NamedTuple):
    """A page of the site whose context is not gathered yet."""

    below: str
    """The beginning of the page's path, by which a page is looked for; empty if unknown."""
    gather: Gather


def site_pages(site: SiteData, method: Path) -> Iterator[SitePage]:
    """Yield each page; ``method`` is the Markdown file of the method page."""
    for version, leaderboard in site.leaderboards.items():
        for gather in _version_pages(site, leaderboard):
            yield SitePage("" if version == site.front else version_path(version), gather)
    for slug in site.by_model:
        yield SitePage(model_path(slug), partial(model_page, site, slug))
    for name in site.evals:
        yield SitePage(eval_path(name), partial(eval_page, site, name))
    for filed in site.summaries.reports:
        if (run := site.runs.get(filed.report.run)) is not None:
            yield SitePage(filed_path(filed), partial(report_page, site, filed, run))
    for gather in _single_pages(site, method):
        yield SitePage("", gather)


def _single_pages(site: SiteData, method: Path) -> Iterator[Gather]:
    """Yield the pages that belong to no single version, model, eval or report."""
    yield partial(models_page, site)
    yield partial(reports_page, site)
    if site.settings.guidelines:
        yield partial(guidelines_text_page, site)
        yield partial(ablations_page, site)
    for trial in ablations(site):
        yield partial(ablation_page, site, trial)
    yield partial(benchmarks_page, site)
    yield partial(changes_page, site)
    yield partial(errata_page, site)
    yield partial(about_page, site, method)
    yield missing_page
    if not site.leaderboards:
        yield from (partial(empty_page, site, *section) for section in NAVIGATION)


def _version_pages(site: SiteData, leaderboard: Leaderboard) -> Iterator[Gather]:
    """Yield the pages of a benchmark version."""
    is_other = leaderboard.is_of_other_tool
    for condition in (BOTH,) if is_other else CONDITIONS:
        yield partial(table_page, site, leaderboard, condition)
    if leaderboard.version == site.front:
        # The permanent address of the version that `/` shows until a newer version takes its place.
        yield partial(table_page, site, leaderboard, BOTH, path=version_path(leaderboard.version))
    for category in leaderboard.categories():
        yield partial(category_page, site, leaderboard, category)
    for matrix in MATRICES[:1] if is_other else MATRICES:
        for part in range(1, matrix_parts(leaderboard, matrix) + 1):
            yield partial(matrix_page, site, leaderboard, matrix, part)
    yield partial(compare_page, site, leaderboard)
    if site.settings.guidelines:
        yield partial(guidelines_page, site, leaderboard)
    yield partial(evals_page, site, leaderboard)
