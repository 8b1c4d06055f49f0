"""Builds the site: read everything, gather every page, render, write. In this order."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment

from generator.assets import Assets, read_assets
from generator.corpus import RunSummary, read_corpus
from generator.downloads import downloads
from generator.pages.archive import archive_page
from generator.pages.attempts import attempt_page
from generator.pages.boards import Board
from generator.pages.categories import category_page
from generator.pages.changes import changes_page
from generator.pages.compare import compare_page
from generator.pages.evals import eval_page, health_page
from generator.pages.guidelines import guidelines_page
from generator.pages.material import Material, material
from generator.pages.matrix import matrix_page
from generator.pages.models import model_page
from generator.pages.names import version_path
from generator.pages.reports import report_page, reports_page
from generator.pages.runs import run_page
from generator.pages.table import BOTH, CONDITIONS, table_page
from generator.pages.texts import about_page, missing_page
from generator.render import PageContext, environment, render
from generator.settings import read_settings
from generator.suite_texts import read_suite_texts
from generator.write import Written, claim, write_site
from records.artifacts import Archive
from records.folder import DataFolder
from records.reader import read_run
from records.run import Run


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a build reads from."""

    data: DataFolder
    templates: Path
    evals: Path
    local: bool
    """Whether development results are shown beside the published ones."""
    method: Path = Path("docs/method.md")
    """What the method page says."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page before it is rendered."""

    template: str
    context: PageContext


@dataclass(frozen=True, slots=True)
class Text:
    """A plain text beside a page."""

    path: str
    text: str


def build(sources: Sources, out: Path) -> Written:
    """Build the site into ``out``.

    Raises:
        RecordsError: a record is invalid; nothing was written.
        GeneratorError: settings, suite texts or the output folder are not as they must be.
    """
    settings = read_settings(sources.templates)
    texts = read_suite_texts(sources.evals)
    corpus = read_corpus(sources.data, local=sources.local)
    gathered = material(settings, corpus, texts)
    assets = read_assets(sources.templates / "assets")
    rendered = _rendered(sources, gathered, assets)
    claim(out)
    return write_site(out, rendered)


def _rendered(sources: Sources, gathered: Material, assets: Assets) -> dict[str, bytes]:
    env = environment(sources.templates)
    found = dict(assets.files)
    paths: list[str] = []
    for page in pages(sources, gathered):
        path, data = _bytes(env, page, gathered, assets)
        if path in found:
            raise AssertionError(f"two pages want to stand at {path}")
        found[path] = data
        if isinstance(page, Page):
            paths.append(page.context.frame.path)
    return found | dict(downloads(gathered, paths))


def _bytes(
    env: Environment, page: Page | Text, gathered: Material, assets: Assets
) -> tuple[str, bytes]:
    if isinstance(page, Text):
        return page.path, page.text.encode("utf-8", "replace")
    text = render(env, page.template, page.context, site=gathered.settings, assets=assets.paths)
    path = page.context.frame.path
    return (path if path.endswith(".html") else f"{path}index.html"), text.encode()


def pages(sources: Sources, gathered: Material) -> Iterator[Page | Text]:
    """Yield every page of the site, and the texts beside them."""
    for board in gathered.boards.values():
        yield from _board_pages(gathered, board)
    for slug in sorted({run.slug for run in gathered.corpus.runs}):
        yield Page("model.html", model_page(gathered, slug))
    for name in sorted(gathered.evals):
        yield Page("eval.html", eval_page(gathered, name))
    runs = {run.run_id: run for run in gathered.corpus.runs}
    for filed in gathered.corpus.reports:
        if filed.report.run in runs:
            yield Page("report.html", report_page(gathered, filed, runs[filed.report.run]))
    yield Page("reports.html", reports_page(gathered))
    yield Page("archive.html", archive_page(gathered))
    yield Page("changes.html", changes_page(gathered))
    yield Page("text.html", about_page(gathered.settings, sources.method))
    yield Page("404.html", missing_page())
    for summary in gathered.corpus.runs:
        yield from _run_pages(gathered, summary)


def _board_pages(gathered: Material, board: Board) -> Iterator[Page]:
    for condition in CONDITIONS:
        yield Page("table.html", table_page(gathered, board, condition))
    if board.version == gathered.front:
        # The permanent address of the version that `/` shows for now.
        path = version_path(board.version)
        yield Page("table.html", table_page(gathered, board, BOTH, path=path))
    for key in board.categories():
        yield Page("category.html", category_page(gathered, board, key))
    yield Page("matrix.html", matrix_page(gathered, board))
    yield Page("compare.html", compare_page(gathered, board))
    yield Page("guidelines.html", guidelines_page(gathered, board))
    yield Page("evals.html", health_page(gathered, board))


def _run_pages(gathered: Material, summary: RunSummary) -> Iterator[Page | Text]:
    run = read_run(summary.path)
    yield Page("run.html", run_page(gathered, summary, run))
    if summary.artifact is not None and summary.kept:
        with Archive(summary.artifact) as archive:
            yield from _attempt_pages(gathered, summary, run, archive)


def _attempt_pages(
    gathered: Material, summary: RunSummary, run: Run, archive: Archive
) -> Iterator[Page | Text]:
    for attempt in run.attempts:
        if attempt.artifact is not None:
            artifact = archive.read(attempt.eval, attempt.sample)
            found = attempt_page(gathered, summary, attempt, artifact)
            yield Page("attempt.html", found.page)
            for path, text in found.beside.items():
                yield Text(path, text)
