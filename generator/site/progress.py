"""The chart of scores by day of release: is it getting better?"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from generator.charts.plots import Dot, history
from generator.site.data import SiteData
from generator.site.parts import ModelLink

_FEWEST: Final = 3
"""Models whose release is known that the chart needs: two are no course."""


class ProgressChart(NamedTuple):
    """Scores of one benchmark version by the models' days of release."""

    chart: str
    """SVG."""
    undated: int
    """Ranked models that are left out because their day of release is not known."""


def progress(
    site: SiteData, scored: Sequence[tuple[ModelLink, float]], path: str
) -> ProgressChart | None:
    """Draw models of one table, each with its score in percent, for the page at ``path``.

    Filled are those that were ahead of every model released before them. None where too few days
    of release are known, or all are the same.
    """
    registry = site.summaries.registry
    known = [
        (released, link, percent)
        for link, percent in scored
        if link.slug in registry and (released := registry[link.slug].released) is not None
    ]
    days = [released for released, _, _ in known]
    if len(known) < _FEWEST or len(set(days)) < _FEWEST:
        return None
    root = "../" * path.count("/")
    chart = history(
        [
            Dot(
                label=link.name,
                href=root + link.href,
                x=released.toordinal(),
                y=percent,
                low=None,
                high=None,
                marked=percent > max((p for day, _, p in known if day < released), default=-1.0),
                note=f"{link.provider}, released {released}",
            )
            for released, link, percent in known
        ],
        days,
        axis="Day of release",
    )
    return ProgressChart(chart, len(scored) - len(known))
