"""The contexts of a site's pages, gathered in this process from a data folder."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from jinja2.environment import TemplateModule
from selectolax.lexbor import LexborHTMLParser

from generator.pages.pair import build_pair_page
from generator.phases import Phases
from generator.read.project_files import ProjectReader
from generator.read.suite_texts import EvalTexts, GuidelinesText
from generator.render import templates
from generator.run_pages import build_run_contexts
from generator.scores.leaderboards import Leaderboard
from generator.site_data import SiteData
from generator.site_pages import list_site_pages
from generator.sources import Inputs, Sources, find_inputs
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.suites.canary import LINE

Part = TypeVar("Part", templates.PageContext, templates.Row)
"""A page, or a part of it."""

ROOT = Path(__file__).parents[2]
TEMPLATES: Final = ROOT / "site_templates"
_ATTEMPTS: Final = 7
"""The pages of attempts of a run that are gathered: the other pages are much alike."""


@cache
def _import_block(block: str) -> TemplateModule:
    return templates.make_environment(TEMPLATES).get_template(f"blocks/{block}.html").module


def render_block(block: str, *values: object, macro: str | None = None) -> str:
    """The HTML that a macro of a block makes of values; by default the macro of the same name."""
    return str(getattr(_import_block(block), macro or block)(*values))


def make_project_sources(data: DataFolder) -> Sources:
    """The project's own templates and suite, over some data."""
    return Sources(data, TEMPLATES, ROOT / "evals", local=False)


def gather_site(data: DataFolder) -> SiteData:
    """Return all data that the pages over ``data`` are made from; no page of a run is rendered."""
    sources = make_project_sources(data)
    return gather_with_phases(Phases(sources, reader=_ReaderOfOneSuite(sources)))


def gather_with_phases(phases: Phases) -> SiteData:
    """Return the data of all pages."""
    reader = phases.begin(find_inputs(phases.sources))
    return phases.score_runs(reader.basics, reader.read_runs())


class _ReaderOfOneSuite(ProjectReader):
    """Takes the suite's texts, which are the same for all tests, from one shared reader."""

    def load_texts(self, inputs: Inputs) -> Mapping[str, EvalTexts]:
        """Return the texts of evals by name."""
        return _make_suite_reader().load_texts(inputs)

    def load_guidelines(self, inputs: Inputs) -> GuidelinesText | None:
        """Return the suite's guidelines."""
        return _make_suite_reader().load_guidelines(inputs)


@cache
def _make_suite_reader() -> ProjectReader:
    """Return a reader that reads the suite again only where a file of it has changed."""
    return ProjectReader(make_project_sources(DataFolder(ROOT / "data")))


@cache
def gather_published_site() -> SiteData:
    """Return all data that the pages over the published data are made from."""
    return gather_site(DataFolder(ROOT / "data"))


def gather_imported_site() -> SiteData:
    """Return the data of the pages over imported results alone, which stay as they are."""
    phases = Phases(make_project_sources(DataFolder(ROOT / "data")))
    reader = phases.begin(find_inputs(phases.sources))
    runs = [run for run in reader.read_runs() if run.source is not None]
    versions, ids = {run.version for run in runs}, {run.run_id for run in runs}
    records, slugs = reader.basics.summaries, {run.slug for run in runs}
    summaries = replace(
        records,
        benchmarks={key: value for key, value in records.benchmarks.items() if key in versions},
        registry={key: value for key, value in records.registry.items() if key in slugs},
        reports=[filed for filed in records.reports if filed.report.run in ids],
    )
    return phases.score_runs(replace(reader.basics, summaries=summaries), runs)


def build_published(
    build_page: Callable[[SiteData, Leaderboard], templates.PageContext], version: str
) -> templates.PageContext:
    """Return the page of a version over the published data."""
    site = gather_published_site()
    return build_page(site, site.leaderboards[version])


def gather_contexts(data: DataFolder) -> Iterator[templates.PageContext]:
    """Yield each page of the site over ``data`` before rendering; some attempts of each run."""
    site = replace(gather_site(data), for_programs=True)
    for page in list_site_pages(site):
        yield page.gather()
    for pair in site.pairs.values():
        yield build_pair_page(site, [data], pair)
    for run in site.summaries.runs:
        record = read_run(data.get_run_file(run.slug, run.run_id))
        for page in islice(build_run_contexts(site, run, record), 1 + _ATTEMPTS):
            yield page


def change_values(part: Part, **values: Any) -> Part:  # noqa: ANN401 - values of any template
    """Return a copy of a page or of a row in which these values are different."""
    changed = part.__new__(type(part))
    vars(changed).update(vars(part) | values)
    return changed


def render_tree(page: templates.PageContext) -> LexborHTMLParser:
    """Return the page as a browser parses it."""
    return LexborHTMLParser(load_project_templates().render(page).decode())


@cache
def load_project_templates() -> templates.Templates:
    """Return the project's templates, each of which is compiled once for all tests."""
    return templates.Templates(TEMPLATES, shared=templates.SharedValues(canary=LINE))
