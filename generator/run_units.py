"""The pages of a run, with a digest of everything that they are made from.

Apart from other units: they are made while records are read, before statistics are imported.
"""

from collections.abc import Iterator
from functools import lru_cache

from generator.digests import key_of
from generator.read.summaries import RunSummary
from generator.render.templates import FilledPage, Look, Text
from generator.site.attempts import attempt_page
from generator.site.runs import run_page
from generator.site.shared import SiteBasics
from records.artifacts import Archive
from records.run import Run


def run_key(around: SiteBasics, look: Look, run: RunSummary, archive: object) -> str:
    """Return the key of a run's pages; ``archive`` is the stamp of what its attempts wrote.

    Put together from digests that are at hand: a build asks for that of every run.
    """
    title, href = around.version_title(run.version), around.version_href(run.version)
    evals = tuple(around.suites.get(run.version, ()))
    shared = _shared(look.key("run.html"), title, href, evals, run.slug in around.slugs)
    reports = around.reports.get(run.run_id)
    more = _more(around, look, run, archive) if reports or run.artifact is not None else ""
    return f"{run.record} {run.digest} {shared} {more}"


@lru_cache(maxsize=1 << 8)
def _shared(*parts: object) -> str:
    return key_of(parts)


def _more(around: SiteBasics, look: Look, run: RunSummary, archive: object) -> str:
    """Return a digest of what only some runs have: reports, and the files of attempts."""
    kept = sorted({name for name, _ in run.kept}) if run.artifact is not None else []
    return key_of(
        [one.digest for one in around.reports.get(run.run_id, ())],
        archive,
        look.key("attempt.html") if kept else None,
        [(name, around.texts[name].digest) for name in kept if name in around.texts],
    )


def run_pages(around: SiteBasics, summary: RunSummary, run: Run) -> Iterator[FilledPage | Text]:
    """Yield the page of a run, and those of its attempts whose files were kept."""
    yield FilledPage("run.html", run_page(around, summary, run))
    if summary.artifact is not None and summary.kept:
        with Archive(summary.artifact) as archive:
            for attempt in run.attempts:
                if attempt.artifact is not None:
                    artifact = archive.read(attempt.eval, attempt.sample)
                    found = attempt_page(around, summary, attempt, artifact)
                    yield FilledPage("attempt.html", found.page)
                    for path, text in found.beside.items():
                        yield Text(path, text)
