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
from records.reader import read_benchmark, read_registry, read_report, read_run
from records.registry import ModelEntry
from records.report import Report, slug_of_report
from records.run import Attempt, Imported, Outcome, Run, Test


@dataclass(frozen=True, slots=True)
class EvalResult:
    """How one eval ended in one run."""

    passed: int
    judged: int
    """Attempts that passed or failed."""
    planned: int
    failed_step: str | None
    """Of the first attempt that failed."""
    tests_share: float | None
    """Mean share of tests passed, 0 for an attempt that failed before them; None where it was not
    published which tests there were."""


@dataclass(frozen=True, slots=True)
class Regraded:
    """Attempts of a run that were graded again on one day."""

    date: date
    attempts: int
    changed: int
    """Attempts whose outcome changed."""


@dataclass(frozen=True, slots=True)
class FiledReport:
    """A report, and where it lies."""

    slug: str
    file_name: str
    report: Report
    local: bool


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
    kept: Sequence[tuple[str, int]]
    """Eval and sample of the attempts whose files were kept."""
    regraded: Sequence[Regraded]

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
    reports: Sequence[FiledReport]
    """Newest first."""
    registry: Mapping[str, ModelEntry]
    """The models of `models.toml` by their slugs."""


def read_corpus(data: DataFolder, *, local: bool) -> Corpus:
    """Read and check every record in ``data``; ``local`` adds those of development runs.

    Raises:
        InvalidRecordError: one of them is not what its place promises.
    """
    benchmarks: dict[str, Benchmark] = {}
    runs: list[RunSummary] = []
    reports: list[FiledReport] = []
    for folder in [data, data.local] if local else [data]:
        for path in folder.benchmark_files():
            benchmark = read_benchmark(path)
            benchmarks[benchmark.version] = benchmark
        runs.extend(_summary(folder, path, local=folder != data) for path in folder.run_files())
        reports.extend(_filed(path, local=folder != data) for path in folder.report_files())
    runs.sort(key=lambda run: (run.date, run.run_id), reverse=True)
    reports.sort(key=lambda one: (one.report.date, one.slug, one.file_name), reverse=True)
    return Corpus(
        benchmarks=benchmarks, runs=runs, reports=reports, registry=_registry(data.models_file)
    )


def _registry(path: Path) -> dict[str, ModelEntry]:
    return {model.slug: model for model in read_registry(path).models} if path.exists() else {}


def _filed(path: Path, *, local: bool) -> FiledReport:
    return FiledReport(slug_of_report(path), path.name, read_report(path), local)


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
        kept=[(one.eval, one.sample) for one in run.attempts if one.artifact is not None],
        regraded=_regraded(run),
    )


def _regraded(run: Run) -> list[Regraded]:
    again = [one for one in run.attempts if one.earlier_verdicts and one.graded_at is not None]
    days = sorted({one.graded_at.date() for one in again if one.graded_at is not None})
    return [
        Regraded(
            date=day,
            attempts=len(of_day),
            changed=sum(one.earlier_verdicts[-1].outcome is not one.outcome for one in of_day),
        )
        for day in days
        if (of_day := [one for one in again if one.graded_at and one.graded_at.date() == day])
    ]


def _results(run: Run) -> dict[str, EvalResult]:
    attempts: dict[str, list[Attempt]] = {name: [] for name in run.planned}
    for attempt in run.attempts:
        attempts[attempt.eval].append(attempt)
    return {
        name: EvalResult(
            passed=sum(a.outcome is Outcome.PASSED for a in tried),
            judged=sum(a.outcome in {Outcome.PASSED, Outcome.FAILED} for a in tried),
            planned=run.samples,
            failed_step=next((a.failed_step.value for a in tried if a.failed_step), None),
            tests_share=_tests_share(tried),
        )
        for name, tried in attempts.items()
    }


def _tests_share(attempts: Sequence[Attempt]) -> float | None:
    """Return the mean share of tests passed over judged attempts, 0 for one that failed before.

    None where it was not published which tests there were.
    """
    judged = [one for one in attempts if one.outcome in {Outcome.PASSED, Outcome.FAILED}]
    if not judged or any(one.steps is None for one in judged):
        return None
    return sum(_share(one.tests or ()) for one in judged) / len(judged)


def _share(tests: Sequence[Test]) -> float:
    passed = sum(test.outcome is Outcome.PASSED for test in tests)
    return passed / len(tests) if tests else 0.0
