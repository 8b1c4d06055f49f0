"""Builds the site: read everything, gather every page, render, write. In this order."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from generator.contexts import AttemptPage, EvalPage, ModelPage, RunPage, TablePage
from generator.corpus import Corpus, RunSummary, read_corpus
from generator.pages.attempts import attempt_page
from generator.pages.evals import eval_page
from generator.pages.models import model_page
from generator.pages.runs import run_page
from generator.pages.table import table_page
from generator.render import environment, render
from generator.settings import SiteSettings, read_settings
from generator.suite_texts import EvalTexts, read_suite_texts
from generator.write import Written, claim, write_site
from records.artifacts import read_attempt
from records.benchmark import Benchmark
from records.folder import DataFolder
from records.reader import read_run


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a build reads from."""

    data: DataFolder
    templates: Path
    evals: Path
    local: bool
    """Whether development results are shown beside the published ones."""


@dataclass(frozen=True, slots=True)
class _Page:
    template: str
    context: TablePage | ModelPage | EvalPage | RunPage | AttemptPage


def build(sources: Sources, out: Path) -> Written:
    """Build the site into ``out``.

    Raises:
        RecordsError: a record is invalid; nothing was written.
        GeneratorError: settings, suite texts or the output folder are not as they must be.
    """
    settings = read_settings(sources.templates)
    texts = read_suite_texts(sources.evals)
    corpus = read_corpus(sources.data, local=sources.local)
    rendered = _render(sources, settings, corpus, texts)
    claim(out)
    return write_site(out, rendered)


def _render(
    sources: Sources, settings: SiteSettings, corpus: Corpus, texts: dict[str, EvalTexts]
) -> dict[str, bytes]:
    env = environment(sources.templates)
    pages = {
        f"{page.context.frame.path}index.html": render(
            env, page.template, page.context, site=settings
        ).encode()
        for page in _pages(settings, corpus, texts)
    }
    return pages | _assets(sources.templates / "assets")


def _pages(settings: SiteSettings, corpus: Corpus, texts: dict[str, EvalTexts]) -> Iterator[_Page]:
    front = front_version(settings, corpus)
    if front:
        yield _Page("table.html", table_page(corpus, front, front=True))
    for benchmark in corpus.benchmarks.values():
        yield _Page("table.html", table_page(corpus, benchmark, front=False))
    for slug in sorted({run.slug for run in corpus.runs}):
        yield _Page("model.html", model_page(corpus, slug))
    evals = frozenset(name for run in corpus.runs for name in run.results) | set(texts)
    for name in sorted(evals):
        yield _Page("eval.html", eval_page(corpus, name, texts.get(name)))
    for summary in corpus.runs:
        yield from _run_pages(corpus, summary, texts, evals)


def _run_pages(
    corpus: Corpus, summary: RunSummary, texts: dict[str, EvalTexts], evals: frozenset[str]
) -> Iterator[_Page]:
    run = read_run(summary.path)
    yield _Page("run.html", run_page(corpus, summary, run, evals))
    if summary.artifact is None:
        return
    for attempt in run.attempts:
        if attempt.artifact is not None:
            artifact = read_attempt(summary.artifact, attempt.eval, attempt.sample)
            known = texts.get(attempt.eval)
            reference = known.reference if known else dict[str, str]()
            context = attempt_page(
                corpus,
                summary,
                attempt=attempt,
                artifact=artifact,
                reference=reference,
                evals=evals,
            )
            yield _Page("attempt.html", context)


def front_version(settings: SiteSettings, corpus: Corpus) -> Benchmark | None:
    """Return the version that `/` shows: the settings' choice, else the newest minted one."""
    chosen = settings.current_version
    if chosen is not None and chosen in corpus.benchmarks:
        return corpus.benchmarks[chosen]
    minted = [one for one in corpus.benchmarks.values() if one.minted_at is not None]
    return max(minted, key=lambda one: str(one.minted_at), default=None)


def _assets(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {f"assets/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in files}
