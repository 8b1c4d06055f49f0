"""Score against cost, drawn: who is both cheaper and better than the others."""

from collections.abc import Sequence
from typing import NamedTuple

from generator.blocks.leaderboard_columns import COST, number
from generator.blocks.model_rows import ModelRow
from generator.charts.plots import Dot, scatter
from generator.facts.links import ModelLink
from generator.facts.urls import model_path
from generator.render.template_filters import dollars
from generator.scores.frontier import Offer, frontier


class CostPoint(NamedTuple):
    """A model in the scatter of score against cost."""

    model: ModelLink
    cost_usd: float
    """Per attempt; 0 for one that is free."""
    percent: float
    frontier: bool
    """No model of the plot is both cheaper and better."""


def cost_points(rows: Sequence[ModelRow]) -> list[CostPoint]:
    """Return the rows whose cost is known as points of the plot."""
    costs = [(row, number(row.amounts[COST])) for row in rows]
    priced = [(row, cost) for row, cost in costs if cost is not None]
    offers = [Offer(row.model.slug, cost, row.score.share.percent) for row, cost in priced]
    best = {offer.slug for offer in frontier(offers)}
    return [
        CostPoint(row.model, cost, row.score.share.percent, frontier=row.model.slug in best)
        for row, cost in priced
    ]


def cost_plot(points: Sequence[CostPoint], path: str) -> str | None:
    """Draw ``points`` for the page at ``path``, SVG; None where there are none."""
    if not points:
        return None
    root = "../" * path.count("/")
    return scatter(
        [
            Dot(
                label=point.model.name,
                href=root + model_path(point.model.slug),
                x=point.cost_usd,
                y=point.percent,
                low=None,
                high=None,
                marked=point.frontier,
                note=f"{dollars(point.cost_usd)} per attempt, {point.model.provider}",
            )
            for point in points
        ]
    )
