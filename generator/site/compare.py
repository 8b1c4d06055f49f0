"""Every pair of models, and the evals where they differ."""

from collections.abc import Sequence
from typing import NamedTuple

from generator.render.environment import Frame
from generator.scores.compare import Against
from generator.scores.leaderboards import Leaderboard
from generator.site.data import SiteData
from generator.site.leaderboard import VersionHead, version
from generator.site.matrix import Column, MatrixGroup, columns, matrix_cells, matrix_groups
from generator.site.parts import Difference, frame
from generator.site.statistics import SHOWN


class Pair(NamedTuple):
    """A model against another."""

    difference: Difference
    better: int
    """Evals that only the row's model passes in most attempts."""
    worse: int
    """The reverse."""
    p_value: float
    """Corrected for the pairs of the same conditions."""


class PairRow(NamedTuple):
    """A model against every other."""

    column: Column
    pairs: Sequence[Pair | None]
    """None where it would stand against itself."""


class ComparePage(NamedTuple):
    """Every pair of models, and the evals where they differ."""

    template = "compare.html"

    frame: Frame
    version: VersionHead
    columns: Sequence[Column]
    pairs: Sequence[PairRow]
    groups: Sequence[MatrixGroup]


def compare_page(site: SiteData, leaderboard: Leaderboard) -> ComparePage:
    """Gather the comparison of all entries of ``leaderboard``."""
    place = site.place(leaderboard.version)
    heads = columns(leaderboard)
    head = frame(
        "Compare",
        f"{place}compare/",
        f"Models of {site.titles[leaderboard.version]} against one another, eval by eval.",
        "" if place else "compare",
    )
    return ComparePage(
        frame=head,
        version=version(site, leaderboard, "compare/"),
        columns=heads,
        pairs=[PairRow(one, row) for one, row in zip(heads, _rows(leaderboard), strict=True)],
        groups=matrix_groups(site, leaderboard, matrix_cells(site, leaderboard, head.root)),
    )


def _rows(leaderboard: Leaderboard) -> list[list[Pair | None]]:
    """Return each entry against every other; the second against the first is turned over."""
    places = range(len(leaderboard.entries))
    pairs: dict[tuple[int, int], Pair] = {}
    for (one, other), against in leaderboard.pairs.items():
        pairs[one, other] = _pair(against)
        pairs[other, one] = _pair(against.turned())
    return [[pairs.get((one, other)) for other in places] for one in places]


def _pair(found: Against) -> Pair:
    low, high = 100 * found.interval.low, 100 * found.interval.high
    difference = Difference(100 * found.difference, low, high, real=found.conclusion in SHOWN)
    return Pair(difference, found.better, found.worse, found.p_value)
