"""Cells of scores and of tables of shares."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from generator.charts.plots import draw_whisker_bar
from generator.facts.shares import Share, compute_entry_share, compute_share_interval
from generator.render.template_filters import format_whole_percent
from generator.scores.leaderboards import Entry, Leaderboard


class Score(NamedTuple):
    """A share with its 95% interval and its drawing."""

    share: Share
    low: float
    """Lower end of the 95% interval in percent."""
    high: float
    """Upper end of the 95% interval in percent."""
    chart: str
    """A bar with a whisker for the interval, as SVG."""


class HeatCell(NamedTuple):
    """A share in a table of shares."""

    share: Share
    text: str
    """The percentage; `align_cells` of `model_rows` gives all cells of a column equal digits."""
    level: int
    """How strongly the cell is coloured, from 0 to 9."""
    best: bool
    """Whether the cell is marked as the best of its column."""


_LEVELS = (40, 50, 60, 70, 80, 85, 90, 95, 100)
"""The percentages from which a cell's colour is stronger; closer where most scores are."""


def build_entry_score(
    leaderboard: Leaderboard, entry: Entry, evals: Sequence[str] | None = None
) -> Score:
    """Return the score of an entry over ``evals``; without them, over all of its version."""
    chosen = leaderboard.list_eval_names() if evals is None else evals
    share = compute_entry_share(entry, chosen)
    low, high = compute_share_interval(leaderboard, entry, chosen)
    return Score(share, low, high, draw_whisker_bar(share.percent, low, high))


def build_heat_cell(share: Share, best: float | None) -> HeatCell:
    """Return a coloured cell; ``best`` is the best percentage of the column, None for no mark."""
    return HeatCell(
        share=share,
        text=format_whole_percent(share.percent),
        level=bisect_right(_LEVELS, share.percent),
        best=best is not None and share.percent >= best,
    )
