"""Scores as pandas frames: what the downloads under /api/v1/ are written from.

Apart from the rest because importing pandas takes half a second.
"""

from collections.abc import Iterable, Sequence

import pandas as pd  # pyright: ignore[reportMissingTypeStubs] - it has its types inline

from generator.scores.effect import Change, GuidelinesEffect
from generator.scores.estimates import Estimate
from generator.scores.health import Health
from generator.scores.inputs import Version
from generator.scores.selection import Pool
from generator.scores.table import Row, Table


def table_frame(board: Table) -> pd.DataFrame:
    """Return a row for each model, then each baseline, of a leaderboard."""
    rows = (*board.rows, *board.baselines)
    frame = pd.DataFrame([_row(board, row) for row in rows])
    # Whole numbers or nothing: without this, one baseline would turn every rank into a fraction.
    frame["rank"] = pd.array([row.rank for row in rows], dtype="Int64")
    return frame


def evals_frame(version: Version, pools: Iterable[Pool]) -> pd.DataFrame:
    """Return a row for each model, experiment and eval: the numbers under every other one."""
    parts = [
        pd.DataFrame(
            {
                "model": one.slug,
                "experiment": one.experiment,
                "eval": version.evals,
                "passed": one.passed,
                "attempts": one.judged,
            }
        )
        for one in pools
    ]
    columns = ["model", "experiment", "eval", "passed", "attempts"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def effects_frame(effects: Sequence[GuidelinesEffect]) -> pd.DataFrame:
    """Return a row for each model and scope of the guidelines effect: all, category, section."""
    return pd.DataFrame(
        [
            {"model": one.slug, "scope": scope, "name": name, **_change(change), **tested}
            for one in effects
            for scope, name, change, tested in _scopes(one)
        ]
    )


def health_frame(healths: Sequence[Health]) -> pd.DataFrame:
    """Return a row for each eval."""
    return pd.DataFrame(
        [
            {
                "eval": one.eval,
                "pass_rate": one.pass_rate,
                "models": one.models,
                "solvers": len(one.solvers),
                "flips": one.flips,
                "chances_to_flip": one.chances_to_flip,
                "correlation": one.correlation,
            }
            for one in healths
        ]
    )


def csv_text(frame: pd.DataFrame) -> str:
    """Return ``frame`` as CSV with a header; unknown values are empty, numbers are unrounded."""
    return frame.to_csv(  # pyright: ignore[reportUnknownMemberType]
        index=False, lineterminator="\n"
    )


def _row(board: Table, row: Row) -> dict[str, object]:
    adjusted = row.attributed.estimate if row.attributed else None
    return {
        "benchmark_version": board.version.name,
        "experiment": board.experiment,
        "rank": row.rank,
        "model": row.pool.slug,
        "baseline": row.pool.baseline,
        **_estimate("score", row.score),
        "tests_passed": row.tests.value if row.tests else None,
        **_estimate("attributed", adjusted),
        "runs": len(row.pool.runs),
        "attempts": row.score.attempts,
        "cost_usd": row.cost_usd.mean,
        "cost_known_for_runs": row.cost_usd.n,
        "generation_s": row.generation_s.mean,
        "generation_known_for_runs": row.generation_s.n,
        **{
            key: value
            for name, part in row.categories.items()
            for key, value in _estimate(name, part).items()
        },
    }


def _estimate(name: str, estimate: Estimate | None) -> dict[str, object]:
    return {
        name: estimate.value if estimate else None,
        f"{name}_low": estimate.interval.low if estimate else None,
        f"{name}_high": estimate.interval.high if estimate else None,
        f"{name}_evals": estimate.evals if estimate else None,
    }


def _scopes(
    one: GuidelinesEffect,
) -> list[tuple[str, str, Change, dict[str, object]]]:
    tested: dict[str, object] = {
        "p_value": one.paired.p_value,
        "test": one.paired.test,
        "smallest_effect": one.paired.smallest_effect,
    }
    return [
        ("all", "", one.paired.change, tested),
        *(("category", name, change, {}) for name, change in one.categories.items()),
        *(("section", name, change, {}) for name, change in one.sections.items()),
    ]


def _change(change: Change) -> dict[str, object]:
    return {
        "difference": change.difference,
        "low": change.interval.low,
        "high": change.interval.high,
        "evals": change.evals,
        "fixed": len(change.fixed),
        "broken": len(change.broken),
        "same": change.same,
    }
