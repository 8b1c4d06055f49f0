"""Cells of scores and of tables of shares."""

from bisect import bisect_right
from typing import NamedTuple

from generator.charts.bars import whisker
from generator.facts.shares import Share
from generator.render.template_filters import whole_percent


class Score(NamedTuple):
    """A share with the interval it is known to."""

    share: Share
    low: float
    """Lower end of the 95% interval in percent."""
    high: float
    """Upper end."""
    chart: str
    """The bar with its whisker, SVG."""


class HeatCell(NamedTuple):
    """A share in a table of shares."""

    share: Share
    text: str
    """The percentage; of one digits for the whole column once its table is complete."""
    level: int
    """0 to 9: how strongly the cell is coloured."""
    best: bool
    """No row of the table does better."""


_LEVELS = (40, 50, 60, 70, 80, 85, 90, 95, 100)
"""Percentages at which a cell's colour grows stronger: finer where models differ."""


def score(found: Share, low: float, high: float) -> Score:
    """Return a share with its interval and its drawing."""
    return Score(found, low, high, whisker(found.percent, low, high))


def heat_cell(found: Share, best: float | None) -> HeatCell:
    """Return a share as a coloured cell."""
    return HeatCell(
        share=found,
        text=whole_percent(found.percent),
        level=bisect_right(_LEVELS, found.percent),
        best=best is not None and found.percent >= best,
    )
