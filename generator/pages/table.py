"""The leaderboard of one benchmark version."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from generator.contexts import Row, Share, TablePage, VersionLink
from generator.corpus import Corpus, RunSummary
from generator.pages.lines import share
from generator.pages.names import category, experiment, frame, version_path
from records.benchmark import Benchmark

LATEST = 10
"""Runs of one model and experiment that a row is the mean of, newest first."""


def table_page(corpus: Corpus, benchmark: Benchmark, *, front: bool) -> TablePage:
    """Gather the table of ``benchmark``; ``front`` says that it stands on `/`."""
    runs = [run for run in corpus.runs if run.version == benchmark.version]
    counted = [run for run in runs if _counts(run, benchmark)]
    keys = sorted({name.partition("/")[0] for name in benchmark.evals})
    rows = sorted((_row(group, keys) for group in _groups(counted)), key=_best_first)
    baselines = {run.slug for run in counted if run.baseline}
    path = "" if front else version_path(benchmark.version)
    return TablePage(
        frame=frame("Leaderboard" if front else benchmark.title, path),
        version=benchmark.version,
        version_title=benchmark.title,
        version_source=benchmark.source,
        evals=len(benchmark.evals),
        categories=[category(key) for key in keys],
        rows=[row for row in rows if row.slug not in baselines],
        baselines=[row for row in rows if row.slug in baselines],
        incomplete=len(runs) - len(counted),
        versions=[
            VersionLink(other.version, other.title, current=other.version == benchmark.version)
            for other in corpus.benchmarks.values()
        ],
    )


def _counts(run: RunSummary, benchmark: Benchmark) -> bool:
    """Say whether a run is scored: all evals of the version, all judged, not withdrawn."""
    return run.complete and run.withdrawn is None and set(run.results) == set(benchmark.evals)


def _groups(runs: Sequence[RunSummary]) -> list[list[RunSummary]]:
    def identity(run: RunSummary) -> tuple[str, str]:
        return run.slug, run.experiment

    # sorted() is stable: within a group the newest run stays first.
    return [list(group)[:LATEST] for _, group in groupby(sorted(runs, key=identity), key=identity)]


def _row(runs: Sequence[RunSummary], categories: Sequence[str]) -> Row:
    newest = runs[0]
    score = _mean(runs, "")
    if score is None:
        raise AssertionError(f"run {newest.run_id} counts but has nothing judged")
    return Row(
        slug=newest.slug,
        name=newest.name,
        provider=newest.provider,
        experiment=experiment(newest.experiment),
        score=score,
        by_category=[_mean(runs, key) for key in categories],
        cost_usd=_mean_known(run.cost_usd for run in runs),
        generation_s=_mean_known(run.generation_s for run in runs),
        runs=len(runs),
        latest=newest.date,
        latest_run=newest.run_id,
        source=newest.source,
        local=any(run.local for run in runs),
    )


def _mean(runs: Sequence[RunSummary], prefix: str) -> Share | None:
    shares = [
        share(result for name, result in run.results.items() if name.startswith(prefix))
        for run in runs
    ]
    known = [one for one in shares if one is not None]
    if not known:
        return None
    return Share(sum(one.passed for one in known) / len(known), known[0].judged)


def _mean_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _best_first(row: Row) -> tuple[float, str, str]:
    return -row.score.percent, row.slug, row.experiment
