"""The list of all pages except those of runs and pairs of runs; new pages are added here."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from generator import site_links
from generator.pages.ablation import build_ablation_page, build_ablations_page
from generator.pages.about import (
    NAVIGATION,
    build_about_page,
    build_data_page,
    build_empty_page,
    build_missing_page,
)
from generator.pages.changes import build_benchmarks_page, build_changes_page, build_errata_page
from generator.pages.compare import build_compare_page
from generator.pages.eval import build_eval_page, build_evals_page
from generator.pages.guidelines import build_guidelines_page, build_guidelines_text_page
from generator.pages.leaderboard import BOTH, CONDITIONS, build_category_page, build_table_page
from generator.pages.matrix import MATRICES, build_matrix_page, count_matrix_parts
from generator.pages.mistakes import build_mistakes_page
from generator.pages.model import build_model_page, build_models_page
from generator.pages.report import build_report_page, build_reports_page
from generator.render.templates import PageContext
from generator.scores.leaderboards import Leaderboard
from generator.site_data import SiteData

Gather = Callable[[], PageContext]
"""A function that gathers the context of a page."""


class SitePage(NamedTuple):
    """A page of the site whose context is not gathered yet."""

    below: str
    """The beginning of the page's path, by which a page is looked for; empty if unknown."""
    gather: Gather


def list_site_pages(site: SiteData) -> Iterator[SitePage]:
    """Yield each page."""
    for version, leaderboard in site.leaderboards.items():
        for gather in _list_version_pages(site, leaderboard):
            yield SitePage(
                "" if version == site.front else site_links.build_version_path(version), gather
            )
    for part in site.parts:
        for leaderboard in part.leaderboards.values():
            for gather in _list_table_pages(part, leaderboard):
                yield SitePage(part.folder, gather)
    for slug in site.by_model:
        yield SitePage(site_links.build_model_path(slug), partial(build_model_page, site, slug))
    for name in site.evals:
        yield SitePage(site_links.build_eval_path(name), partial(build_eval_page, site, name))
    for filed, run in site.reported_runs:
        yield SitePage(
            site_links.build_filed_path(filed), partial(build_report_page, site, filed, run)
        )
    # The pages that belong to no single version, model, eval or report.
    single = [build_about_page, build_models_page, build_reports_page]
    if site.settings.guidelines:
        single += [build_guidelines_text_page, build_ablations_page]
    for build_page in (*single, build_benchmarks_page, build_changes_page, build_errata_page):
        yield SitePage("", partial(build_page, site))
    yield SitePage("data/", partial(build_data_page, site))
    for ablation in site.ablations:
        yield SitePage("", partial(build_ablation_page, site, ablation))
    yield SitePage("", partial(build_missing_page, site.settings.base))
    for section in () if site.leaderboards else NAVIGATION:
        yield SitePage("", partial(build_empty_page, site, *section))


def _list_version_pages(site: SiteData, leaderboard: Leaderboard) -> Iterator[Gather]:
    """Yield the pages of a benchmark version."""
    is_other = leaderboard.is_of_other_tool
    yield from _list_table_pages(site, leaderboard)
    if leaderboard.version == site.front:
        # The permanent address of the version that `/` shows until a newer version takes its place.
        yield partial(
            build_table_page,
            site,
            leaderboard,
            BOTH,
            path=site_links.build_version_path(leaderboard.version),
        )
    for matrix in [*MATRICES][:1] if is_other else MATRICES:
        for part in range(1, count_matrix_parts(leaderboard, matrix) + 1):
            yield partial(build_matrix_page, site, leaderboard, matrix, part)
    yield partial(build_compare_page, site, leaderboard)
    if site.settings.guidelines:
        yield partial(build_guidelines_page, site, leaderboard)
    yield partial(build_evals_page, site, leaderboard)
    yield partial(build_mistakes_page, site, leaderboard)


def _list_table_pages(site: SiteData, leaderboard: Leaderboard) -> Iterator[Gather]:
    """Yield the pages with the tables of a leaderboard, of a whole version or of a part."""
    for condition in (BOTH,) if leaderboard.is_of_other_tool else CONDITIONS:
        yield partial(build_table_page, site, leaderboard, condition)
    for category in leaderboard.list_categories():
        yield partial(build_category_page, site, leaderboard, category)
