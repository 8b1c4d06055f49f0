"""The site of pages, read from a data folder in the plainest way."""

from collections.abc import Iterator
from pathlib import Path

from generator.digests import digest_of
from generator.read.reports import report_summary, report_text
from generator.read.runs import RecordsFolder, RunReader, plan_name, run_text
from generator.read.settings import read_settings
from generator.read.suite_texts import read_suite_texts
from generator.read.summaries import Summaries
from generator.render.templates import FilledPage, Look, Text
from generator.run_units import run_pages
from generator.site.data import SiteData, site_data
from generator.site.shared import site_basics
from generator.site.urls import filed_path
from generator.sources import Sources, find_inputs
from generator.units import page_units
from records.folder import DataFolder
from records.reader import read_benchmark, read_registry, read_report, read_run

ROOT = Path(__file__).parents[2]


def sources(data: DataFolder) -> Sources:
    """The project's own templates and suite, over some data."""
    return Sources(data, ROOT / "site_templates", ROOT / "evals", local=False)


def gathered(data: DataFolder) -> SiteData:
    """Everything that pages are made from."""
    inputs = find_inputs(sources(data))
    summaries = RunReader()
    place = RecordsFolder(str(data.root), local=False, artifacts=inputs.artifacts)
    runs = [read_run(Path(path)) for path in inputs.runs]
    for run in runs:
        summaries.learn(plan_name(run.planned), run.planned)
    benchmarks = [read_benchmark(Path(path)) for path in inputs.benchmarks]
    reports = [
        report_summary(
            path, report_text(read_report(path), digest_of(path.read_bytes())), local=False
        )
        for path in map(Path, inputs.reports)
    ]
    models = read_registry(data.models_file).models if data.models_file.exists() else ()
    summaries = Summaries(
        benchmarks={one.version: one for one in benchmarks},
        runs=sorted(
            (summaries.run(place, run_text(run, "")) for run in runs),
            key=lambda run: (run.date, run.run_id),
            reverse=True,
        ),
        reports=sorted(reports, key=lambda one: (one.report.date, filed_path(one)), reverse=True),
        registry={one.slug: one for one in models},
    )
    texts = read_suite_texts(ROOT / "evals")
    settings = read_settings(ROOT / "site_templates")
    return site_data(
        site_basics(
            settings, texts, summaries.benchmarks, summaries.reports, summaries.registry.keys()
        ),
        summaries,
    )


def every_page(data: DataFolder) -> list[FilledPage]:
    """Every page of the site before it is rendered."""
    site = gathered(data)
    collecting = _Collecting(ROOT / "site_templates")
    for unit in page_units(site, collecting, sources(data).method):
        list(unit.make())
    for summary in site.summaries.runs:
        pages = run_pages(site, summary, read_run(data.run_file(summary.slug, summary.run_id)))
        collecting.pages += [page for page in pages if isinstance(page, FilledPage)]
    return collecting.pages


class _Collecting(Look):
    """Takes pages and renders nothing."""

    def __init__(self, templates: Path) -> None:
        super().__init__(templates)
        self.pages: list[FilledPage] = []

    def files(self, page: FilledPage | Text) -> Iterator[tuple[str, bytes]]:
        if isinstance(page, FilledPage):
            self.pages.append(page)
        return iter(())
