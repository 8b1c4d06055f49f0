"""Gathers the rows of every published table."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from generator.corpus import RunSummary
from generator.downloads.formats import Line, line
from generator.downloads.rows import (
    CategoryRow,
    EvalRow,
    FailureRow,
    GuidelinesRow,
    LeaderboardRow,
    MatrixRow,
    Row,
    RunRow,
)
from generator.pages.boards import Board, Standing
from generator.pages.lines import filed_path
from generator.pages.material import Material


def lines_of(material: Material, kind: type[Row]) -> list[Line]:
    """Return the rows of a table as they are published, in the order that pages show them."""
    if kind is RunRow:
        return [_run_line(run) for run in material.corpus.runs]
    return [line(row) for row in rows_of(material, kind)]


@lru_cache(maxsize=1 << 14)
def _run_line(run: RunSummary) -> Line:
    """Return a run's row: made once while a preview goes on, for this table grows with each run."""
    return line(_run(run))


def rows_of(material: Material, kind: type[Row]) -> list[Row]:
    """Return the rows of a table other than that of runs, in the order that pages show them."""
    if kind is FailureRow:
        return list(_failures(material))
    of_board = _OF_BOARD[kind]
    return [row for board in material.boards.values() for row in of_board(board)]


def rows_in(material: Material, kind: type[Row]) -> int:
    """Return how many rows a table has, which takes no row to be made."""
    if kind is RunRow:
        return len(material.corpus.runs)
    if kind is FailureRow:
        known = [one.report for one in material.corpus.reports if one.report.run in material.runs]
        return sum(len(report.failures) for report in known)
    return sum(_IN_BOARD[kind](board) for board in material.boards.values())


def _leaderboard(board: Board) -> Iterator[Row]:
    for standing in board.standings:
        newest, row = standing.newest, standing.row
        attributed = row.attributed.estimate if row.attributed else None
        yield LeaderboardRow(
            benchmark_version=board.version,
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
            runs=len(standing.runs),
            latest=newest.date,
            latest_run=newest.run_id,
            source=newest.source,
        )


def _categories(board: Board) -> Iterator[Row]:
    for standing in board.standings:
        for category, estimate in standing.row.categories.items():
            yield CategoryRow(
                benchmark_version=board.version,
                experiment=standing.newest.experiment,
                model=standing.newest.slug,
                category=category,
                score=estimate.value,
                score_low=estimate.interval.low,
                score_high=estimate.interval.high,
                evals=estimate.evals,
            )


def _guidelines(board: Board) -> Iterator[Row]:
    for effect in board.effects:
        change = effect.paired.change
        yield GuidelinesRow(
            benchmark_version=board.version,
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


def _matrix(board: Board) -> Iterator[Row]:
    for standing in board.standings:
        yield from _matrix_rows(board, standing)


def _matrix_rows(board: Board, standing: Standing) -> Iterator[Row]:
    for name, rate in standing.passes.items():
        yield MatrixRow(
            benchmark_version=board.version,
            experiment=standing.newest.experiment,
            model=standing.newest.slug,
            eval=name,
            pass_rate=rate,
        )


def _evals(board: Board) -> Iterator[Row]:
    for health in board.health.values():
        yield EvalRow(
            benchmark_version=board.version,
            eval=health.eval,
            pass_rate=health.pass_rate,
            models=health.models,
            solvers=len(health.solvers),
            flips=health.flips,
            correlation=health.correlation,
        )


def _run(run: RunSummary) -> Row:
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


def _failures(material: Material) -> Iterator[Row]:
    for filed in material.corpus.reports:
        run = material.runs.get(filed.report.run)
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


_OF_BOARD: Final[Mapping[type[Row], Callable[[Board], Iterator[Row]]]] = {
    LeaderboardRow: _leaderboard,
    CategoryRow: _categories,
    GuidelinesRow: _guidelines,
    MatrixRow: _matrix,
    EvalRow: _evals,
}
_IN_BOARD: Final[Mapping[type[Row], Callable[[Board], int]]] = {
    LeaderboardRow: lambda board: len(board.standings),
    CategoryRow: lambda board: sum(len(one.row.categories) for one in board.standings),
    GuidelinesRow: lambda board: len(board.effects),
    MatrixRow: lambda board: sum(len(one.passes) for one in board.standings),
    EvalRow: lambda board: len(board.health),
}
