"""Differences as values for JSON, with all rows that the Markdown leaves out."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from generator.diff.data_diff import DataDiff
from generator.diff.runs_diff import RunsDiff, Side
from generator.diff.words import format_data_headline, format_runs_headline
from records.shapes.run import Run


def build_runs_values(diff: RunsDiff) -> dict[str, Any]:
    """Return the differences between two sides of runs."""
    paired = diff.difference
    return {
        "headline": format_runs_headline(diff),
        "conclusion": paired.conclusion.value if paired else None,
        "before": _build_side(diff.before),
        "after": _build_side(diff.after),
        "difference": paired.value if paired else None,
        "interval": [paired.interval.low, paired.interval.high] if paired else None,
        "p_value": paired.p_value if paired else None,
        "smallest_effect": diff.smallest_effect,
        "evals": paired.evals if paired else 0,
        "scores": diff.scores,
        "cost_per_attempt_usd": diff.costs,
        "fixed": [asdict(flip) for flip in diff.fixed],
        "broken": [asdict(flip) for flip in diff.broken],
        "changed_evals": diff.changed_evals,
        "only_before": diff.only_before,
        "only_after": diff.only_after,
        "inequalities": [asdict(flip) for flip in diff.inequalities],
    }


def build_data_values(diff: DataDiff) -> dict[str, Any]:
    """Return the differences between two states of a data folder."""
    return {
        "headline": format_data_headline(diff),
        "before": diff.before.label,
        "after": diff.after.label,
        "pairs": [build_runs_values(pair) for pair in diff.pairs],
        "new": _list_runs(diff.new),
        "gone": _list_runs(diff.gone),
        "moved": [asdict(row) for row in diff.moved],
        "reports": diff.reports,
    }


def _build_side(side: Side) -> dict[str, Any]:
    return {"label": side.label, "model": side.slug, "runs": [run.run_id for run in side.runs]}


def _list_runs(runs: Sequence[Run]) -> list[dict[str, str]]:
    return [
        {"run": run.run_id, "model": run.model.slug, "experiment": run.experiment.name}
        for run in runs
    ]
