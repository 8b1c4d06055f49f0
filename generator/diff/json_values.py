"""Differences as values for JSON, with all rows that the Markdown leaves out."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from generator.diff.data_diff import DataDiff
from generator.diff.runs_diff import RunsDiff, Side
from generator.diff.words import data_headline, headline
from records.shapes.run import Run


def runs_values(found: RunsDiff) -> dict[str, Any]:
    """Return the differences between two sides of runs."""
    seen = found.difference
    return {
        "headline": headline(found),
        "conclusion": seen.conclusion.value if seen else None,
        "before": _side(found.before),
        "after": _side(found.after),
        "difference": seen.value if seen else None,
        "interval": [seen.interval.low, seen.interval.high] if seen else None,
        "p_value": seen.p_value if seen else None,
        "smallest_effect": found.smallest_effect,
        "evals": seen.evals if seen else 0,
        "scores": found.scores,
        "cost_per_attempt_usd": found.costs,
        "fixed": [asdict(flip) for flip in found.fixed],
        "broken": [asdict(flip) for flip in found.broken],
        "changed_evals": found.changed_evals,
        "only_before": found.only_before,
        "only_after": found.only_after,
        "inequalities": [asdict(flip) for flip in found.inequalities],
    }


def data_values(found: DataDiff) -> dict[str, Any]:
    """Return the differences between two states of a data folder."""
    return {
        "headline": data_headline(found),
        "before": found.before.label,
        "after": found.after.label,
        "pairs": [runs_values(pair) for pair in found.pairs],
        "new": _runs(found.new),
        "gone": _runs(found.gone),
        "moved": [asdict(row) for row in found.moved],
        "reports": found.reports,
    }


def _side(side: Side) -> dict[str, Any]:
    return {"label": side.label, "model": side.slug, "runs": [run.run_id for run in side.runs]}


def _runs(runs: Sequence[Run]) -> list[dict[str, str]]:
    return [
        {"run": run.run_id, "model": run.model.slug, "experiment": run.experiment.name}
        for run in runs
    ]
