"""Runs as lines of a list, and shares of what was judged."""

from collections.abc import Iterable

from generator.contexts import RunLine, Share
from generator.corpus import Corpus, EvalResult, RunSummary
from generator.pages.names import experiment


def share(results: Iterable[EvalResult]) -> Share | None:
    """Count evals passed among those judged; an eval with several attempts counts its mean."""
    judged = [result for result in results if result.judged]
    if not judged:
        return None
    return Share(sum(result.passed / result.judged for result in judged), len(judged))


def run_line(corpus: Corpus, run: RunSummary) -> RunLine:
    """Return a run as other pages list it."""
    return RunLine(
        run_id=run.run_id,
        slug=run.slug,
        name=run.name,
        experiment=experiment(run.experiment),
        version=run.version,
        version_title=version_title(corpus, run.version),
        date=run.date,
        status=run.status,
        score=share(run.results.values()),
        unjudged=sum(result.planned - result.judged for result in run.results.values()),
        source=run.source,
        withdrawn=run.withdrawn,
        corrected_passed=run.corrected_passed,
        local=run.local,
    )


def version_title(corpus: Corpus, version: str) -> str:
    """Return what a reader calls a benchmark version."""
    benchmark = corpus.benchmarks.get(version)
    return benchmark.title if benchmark else version
