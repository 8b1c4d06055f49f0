"""Everything a build reads, reduced to what pages need from more than one record at a time.

A run's record is read once here, checked, summarised and let go: memory holds summaries, and the
page of a run reads its record again when it is rendered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from records.benchmark import Benchmark
from records.folder import DataFolder
from records.reader import read_benchmark, read_run
from records.run import Imported, Outcome, Run


@dataclass(frozen=True, slots=True)
class EvalResult:
    """How one eval ended in one run."""

    passed: int
    judged: int
    """Attempts that passed or failed."""
    planned: int
    failed_step: str | None
    """Of the first attempt that failed."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What other pages than a run's own say about it."""

    run_id: str
    path: Path
    local: bool
    slug: str
    name: str
    provider: str
    baseline: bool
    experiment: str
    version: str
    status: str
    date: date
    source: str | None
    """Where an imported run was published."""
    corrected_passed: int | None
    withdrawn: str | None
    """Why the run no longer counts."""
    results: Mapping[str, EvalResult]
    cost_usd: float | None
    cost_known_for: int
    generation_s: float | None
    generation_known_for: int
    artifact: Path | None

    @property
    def complete(self) -> bool:
        """Whether every planned attempt was judged."""
        return all(result.judged == result.planned for result in self.results.values())


@dataclass(frozen=True, slots=True)
class Corpus:
    """All that was read."""

    benchmarks: Mapping[str, Benchmark]
    runs: Sequence[RunSummary]
    """Newest first."""


def read_corpus(data: DataFolder, *, local: bool) -> Corpus:
    """Read and check every benchmark version and run in ``data``; ``local`` adds development runs.

    Raises:
        InvalidRecordError: one of them is not what its place promises.
    """
    benchmarks: dict[str, Benchmark] = {}
    runs: list[RunSummary] = []
    for folder in [data, data.local] if local else [data]:
        for path in folder.benchmark_files():
            benchmark = read_benchmark(path)
            benchmarks[benchmark.version] = benchmark
        runs.extend(_summary(folder, path, local=folder != data) for path in folder.run_files())
    runs.sort(key=lambda run: (run.date, run.run_id), reverse=True)
    return Corpus(benchmarks=benchmarks, runs=runs)


def _summary(folder: DataFolder, path: Path, *, local: bool) -> RunSummary:
    run = read_run(path)
    artifact = folder.artifact_file(run.model.slug, run.run_id)
    imported = run.provenance if isinstance(run.provenance, Imported) else None
    return RunSummary(
        run_id=run.run_id,
        path=path,
        local=local,
        slug=run.model.slug,
        name=run.model.name,
        provider=run.model.provider,
        baseline=run.model.kind == "baseline",
        experiment=run.experiment.name,
        version=run.benchmark_version,
        status=run.status,
        date=run.date,
        source=imported.source if imported else None,
        corrected_passed=imported.corrected_passed if imported else None,
        withdrawn=run.withdrawn.reason if run.withdrawn else None,
        results=_results(run),
        cost_usd=run.totals.cost_usd,
        cost_known_for=run.totals.cost_known_for,
        generation_s=run.totals.generation_s,
        generation_known_for=run.totals.generation_known_for,
        artifact=artifact if artifact.exists() else None,
    )


def _results(run: Run) -> dict[str, EvalResult]:
    attempts = {name: [a for a in run.attempts if a.eval == name] for name in run.planned}
    return {
        name: EvalResult(
            passed=sum(a.outcome is Outcome.PASSED for a in tried),
            judged=sum(a.outcome in {Outcome.PASSED, Outcome.FAILED} for a in tried),
            planned=run.samples,
            failed_step=next((a.failed_step.value for a in tried if a.failed_step), None),
        )
        for name, tried in attempts.items()
    }
