"""Every pair of models, and the evals where they differ."""

from collections.abc import Sequence
from typing import NamedTuple

from generator.render.environment import Frame
from generator.render.escaping import trusted
from generator.scores.leaderboards import Leaderboard
from generator.site.data import SiteData
from generator.site.leaderboard import VersionHead, version
from generator.site.matrix import Column, MatrixGroup, columns, matrix_cells, matrix_groups
from generator.site.parts import frame
from generator.site.rows.pairs import ITSELF, pair_cell


class PairRow(NamedTuple):
    """A model against every other."""

    column: Column
    pairs: str
    """A cell for each, HTML."""


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


def _rows(leaderboard: Leaderboard) -> list[str]:
    """Return the cells of each entry; the second against the first is the same turned over."""
    places = range(len(leaderboard.entries))
    cells = {(place, place): ITSELF for place in places}
    for (one, other), against in leaderboard.pairs.items():
        cells[one, other] = pair_cell(against)
        cells[other, one] = pair_cell(against.turned())
    return [trusted("".join([cells[one, other] for other in places])) for one in places]
