"""Gathers the rows of every published table."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from generator.exports.formats import ExportLine, line
from generator.exports.rows import (
    CategoryRow,
    EvalRow,
    ExportRow,
    FailureRow,
    GuidelinesRow,
    LeaderboardRow,
    MatrixRow,
    RunRow,
)
from generator.read.summaries import RunSummary
from generator.scores.leaderboards import Entry, Leaderboard
from generator.site.data import SiteData
from generator.site.urls import filed_path


def lines_of(site: SiteData, kind: type[ExportRow]) -> list[ExportLine]:
    """Return the rows of a table as they are published, in the order that pages show them."""
    if kind is RunRow:
        return [_run_line(run) for run in site.summaries.runs]
    return [line(row) for row in rows_of(site, kind)]


@lru_cache(maxsize=1 << 14)
def _run_line(run: RunSummary) -> ExportLine:
    """Return a run's row: made once while a preview goes on, for this table grows with each run."""
    return line(_run(run))


def rows_of(site: SiteData, kind: type[ExportRow]) -> list[ExportRow]:
    """Return the rows of a table other than that of runs, in the order that pages show them."""
    if kind is FailureRow:
        return list(_failures(site))
    of_board = _OF_BOARD[kind]
    return [row for leaderboard in site.leaderboards.values() for row in of_board(leaderboard)]


def rows_in(site: SiteData, kind: type[ExportRow]) -> int:
    """Return how many rows a table has, which takes no row to be made."""
    if kind is RunRow:
        return len(site.summaries.runs)
    if kind is FailureRow:
        known = [one.report for one in site.summaries.reports if one.report.run in site.runs]
        return sum(len(report.failures) for report in known)
    return sum(_IN_BOARD[kind](leaderboard) for leaderboard in site.leaderboards.values())


def _leaderboard(leaderboard: Leaderboard) -> Iterator[ExportRow]:
    for entry in leaderboard.entries:
        newest, row = entry.newest, entry.row
        attributed = row.attributed.estimate if row.attributed else None
        yield LeaderboardRow(
            benchmark_version=leaderboard.version,
            experiment=newest.experiment,
            model=newest.slug,
            name=newest.name,
            provider=newest.provider,
            baseline=newest.baseline,
            rank=row.rank,
            score=row.score.value,
            score_low=row.score.interval.low,
            score_high=row.score.interval.high,
            evals=row.score.evals,
            attempts=row.score.attempts,
            tests_passed_share=row.tests.value if row.tests else None,
            attributed_score=attributed.value if attributed else None,
            cost_usd_per_run=row.cost_usd.mean,
            generation_s_per_run=row.generation_s.mean,
            runs=len(entry.runs),
            latest=newest.date,
            latest_run=newest.run_id,
            source=newest.source,
        )


def _categories(leaderboard: Leaderboard) -> Iterator[ExportRow]:
    for entry in leaderboard.entries:
        for category, estimate in entry.row.categories.items():
            yield CategoryRow(
                benchmark_version=leaderboard.version,
                experiment=entry.newest.experiment,
                model=entry.newest.slug,
                category=category,
                score=estimate.value,
                score_low=estimate.interval.low,
                score_high=estimate.interval.high,
                evals=estimate.evals,
            )


def _guidelines(leaderboard: Leaderboard) -> Iterator[ExportRow]:
    for effect in leaderboard.effects:
        change = effect.paired.change
        yield GuidelinesRow(
            benchmark_version=leaderboard.version,
            model=effect.slug,
            difference=change.difference,
            difference_low=change.interval.low,
            difference_high=change.interval.high,
            p_value=effect.paired.p_value,
            test=effect.paired.test,
            evidence=effect.paired.evidence.value,
            smallest_effect=effect.paired.smallest_effect,
            evals=change.evals,
            fixed=len(change.fixed),
            broken=len(change.broken),
        )


def _matrix(leaderboard: Leaderboard) -> Iterator[ExportRow]:
    for entry in leaderboard.entries:
        yield from _matrix_rows(leaderboard, entry)


def _matrix_rows(leaderboard: Leaderboard, entry: Entry) -> Iterator[ExportRow]:
    for name, rate in entry.passes.items():
        yield MatrixRow(
            benchmark_version=leaderboard.version,
            experiment=entry.newest.experiment,
            model=entry.newest.slug,
            eval=name,
            pass_rate=rate,
        )


def _evals(leaderboard: Leaderboard) -> Iterator[ExportRow]:
    for health in leaderboard.health.values():
        yield EvalRow(
            benchmark_version=leaderboard.version,
            eval=health.eval,
            pass_rate=health.pass_rate,
            models=health.models,
            solvers=len(health.solvers),
            flips=health.flips,
            correlation=health.correlation,
        )


def _run(run: RunSummary) -> ExportRow:
    return RunRow(
        run_id=run.run_id,
        benchmark_version=run.version,
        model=run.slug,
        experiment=run.experiment,
        date=run.date,
        status=run.status,
        withdrawn=run.withdrawn,
        passed=run.tally.passed,
        judged=run.tally.judged,
        planned=run.tally.planned,
        cost_usd=run.cost_usd,
        source=run.source,
    )


def _failures(site: SiteData) -> Iterator[ExportRow]:
    for filed in site.summaries.reports:
        run = site.runs.get(filed.report.run)
        if run is None:
            continue
        for failure in filed.report.failures:
            yield FailureRow(
                run_id=run.run_id,
                benchmark_version=run.version,
                model=run.slug,
                experiment=run.experiment,
                eval=failure.eval,
                sample=failure.sample,
                failure_class=failure.failure_class.value if failure.failure_class else None,
                note=failure.note,
                report=filed_path(filed),
                author=filed.report.author,
                date=filed.report.date,
            )


_OF_BOARD: Final[Mapping[type[ExportRow], Callable[[Leaderboard], Iterator[ExportRow]]]] = {
    LeaderboardRow: _leaderboard,
    CategoryRow: _categories,
    GuidelinesRow: _guidelines,
    MatrixRow: _matrix,
    EvalRow: _evals,
}
_IN_BOARD: Final[Mapping[type[ExportRow], Callable[[Leaderboard], int]]] = {
    LeaderboardRow: lambda leaderboard: len(leaderboard.entries),
    CategoryRow: lambda leaderboard: sum(len(one.row.categories) for one in leaderboard.entries),
    GuidelinesRow: lambda leaderboard: len(leaderboard.effects),
    MatrixRow: lambda leaderboard: sum(len(one.passes) for one in leaderboard.entries),
    EvalRow: lambda leaderboard: len(leaderboard.health),
}
