"""The chart of score against cost: which models are both cheaper and better than others."""

from collections.abc import Sequence
from typing import NamedTuple

from generator.blocks.leaderboard_columns import COST, get_number
from generator.blocks.model_rows import ModelRow
from generator.charts.plots import Dot, draw_scatter
from generator.facts.urls import ModelLink, build_model_path
from generator.render.template_filters import format_dollars_or_dash
from generator.scores.frontier import select_frontier


class CostPoint(NamedTuple):
    """A dot of the chart: a model with its cost and score."""

    model: ModelLink
    cost_usd: float
    """US dollars per attempt; 0 for a model that is free."""
    percent: float
    frontier: bool
    """No model of the chart is both cheaper and better."""


def build_cost_points(rows: Sequence[ModelRow]) -> list[CostPoint]:
    """Return a point for each row whose cost is known."""
    costs = [(row, get_number(row.amounts[COST])) for row in rows]
    priced = [(row, cost) for row, cost in costs if cost is not None]
    offers = [(row.model, cost, row.score.share.percent) for row, cost in priced]
    frontier = select_frontier((cost, percent) for _, cost, percent in offers)
    return [
        CostPoint(model, cost, percent, frontier=(cost, percent) in frontier)
        for model, cost, percent in offers
    ]


def draw_cost_plot(points: Sequence[CostPoint], path: str) -> str | None:
    """Return the chart of ``points`` on the page at ``path``, as SVG; None without points."""
    if not points:
        return None
    root = "../" * path.count("/")
    return draw_scatter(
        [
            Dot(
                label=point.model.name,
                href=root + build_model_path(point.model.slug),
                x=point.cost_usd,
                y=point.percent,
                marked=point.frontier,
                note=(
                    f"{format_dollars_or_dash(point.cost_usd)} per attempt, {point.model.provider}"
                ),
            )
            for point in points
        ]
    )
