"""The contexts of a site's pages, gathered in this process from a data folder."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from generator.cache import Cache
from generator.diff.pages import pair_page
from generator.exports.data_page import data_page
from generator.output import Staging
from generator.phases import Phases
from generator.render.environment import PageContext
from generator.run_pages import run_contexts
from generator.site.data import SiteData
from generator.site.pages import site_pages
from generator.sources import Sources, find_inputs
from records.folder import DataFolder
from records.reader import read_run

ROOT = Path(__file__).parents[2]


def project_sources(data: DataFolder) -> Sources:
    """The project's own templates and suite, over some data."""
    return Sources(data, ROOT / "site_templates", ROOT / "evals", local=False)


def site_of(data: DataFolder) -> SiteData:
    """Everything that the pages over ``data`` are made from."""
    sources = project_sources(data)
    with TemporaryDirectory() as folder:
        phases = Phases(sources, Path(folder) / "compiled")
        with Staging(Path(folder) / "staged", Path(folder) / "site") as staging:
            project, _ = phases.read(find_inputs(sources), Cache(), Cache(), staging)
        return phases.score(project)


def contexts(data: DataFolder) -> Iterator[PageContext]:
    """Every page of the site over ``data`` before it is rendered."""
    site = site_of(data)
    for page in site_pages(site, project_sources(data).method):
        yield page.gather()
    yield data_page(site)
    for pairs in site.pairs.values():
        for pair in pairs:
            yield pair_page(site, [data], pair)
    for run in site.summaries.runs:
        record = read_run(data.run_file(run.slug, run.run_id))
        for page, _ in run_contexts(site, run, record):
            yield page
