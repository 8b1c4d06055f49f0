"""The material of pages, read from a data folder in the plainest way."""

from collections.abc import Iterator
from pathlib import Path

from generator.corpus import Corpus
from generator.inputs import Sources, find_inputs
from generator.keys import digest_of
from generator.look import Look, Page, Text
from generator.pages.lines import filed_path
from generator.pages.material import Material, material
from generator.pages.surroundings import surroundings
from generator.run_units import run_pages
from generator.settings import read_settings
from generator.suite_texts import read_suite_texts
from generator.summaries import Place, Summaries, plan_name, report_summary, report_text, run_text
from generator.units import page_units
from records.folder import DataFolder
from records.reader import read_benchmark, read_registry, read_report, read_run

ROOT = Path(__file__).parents[2]


def sources(data: DataFolder) -> Sources:
    """The project's own templates and suite, over some data."""
    return Sources(data, ROOT / "site_templates", ROOT / "evals", local=False)


def gathered(data: DataFolder) -> Material:
    """Everything that pages are made from."""
    inputs = find_inputs(sources(data))
    summaries = Summaries()
    place = Place(str(data.root), local=False, artifacts=inputs.artifacts)
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
    corpus = Corpus(
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
    return material(
        surroundings(settings, texts, corpus.benchmarks, corpus.reports, corpus.registry.keys()),
        corpus,
    )


def every_page(data: DataFolder) -> list[Page]:
    """Every page of the site before it is rendered."""
    material = gathered(data)
    collecting = _Collecting(ROOT / "site_templates")
    for unit in page_units(material, collecting, sources(data).method):
        list(unit.make())
    for summary in material.corpus.runs:
        pages = run_pages(material, summary, read_run(data.run_file(summary.slug, summary.run_id)))
        collecting.pages += [page for page in pages if isinstance(page, Page)]
    return collecting.pages


class _Collecting(Look):
    """Takes pages and renders nothing."""

    def __init__(self, templates: Path) -> None:
        super().__init__(templates)
        self.pages: list[Page] = []

    def files(self, page: Page | Text) -> Iterator[tuple[str, bytes]]:
        if isinstance(page, Page):
            self.pages.append(page)
        return iter(())
