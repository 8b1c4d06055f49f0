"""Every pair of models, and the evals where they differ."""

from collections.abc import Sequence
from itertools import combinations

from generator.contexts.evals import ComparePage, Pair, PairRow
from generator.contexts.shared import Difference
from generator.pages.boards import Board, Standing
from generator.pages.figures import difference
from generator.pages.material import Material
from generator.pages.matrix import columns, matrix_cells, matrix_groups, shown
from generator.pages.names import frame
from generator.pages.table import version
from generator.scores.effect import paired


def compare_page(material: Material, board: Board) -> ComparePage:
    """Gather the comparison of all standings of ``board``."""
    place = material.place(board.version)
    standings = shown(board)
    heads = columns(board)
    pairs = _pairs(board, standings)
    around = frame(
        "Compare",
        f"{place}compare/",
        f"Models of {material.titles[board.version]} against one another, eval by eval.",
        "" if place else "compare",
    )
    return ComparePage(
        frame=around,
        version=version(material, board, "compare/"),
        columns=heads,
        pairs=[
            PairRow(head, [pairs[one.key, other.key] for other in standings])
            for head, one in zip(heads, standings, strict=True)
        ],
        groups=matrix_groups(material, board, matrix_cells(material, board, around.root)),
    )


def _pairs(board: Board, standings: Sequence[Standing]) -> dict[tuple[str, str], Pair]:
    """Compare every two, by their keys; the second against the first is the same turned over."""
    found = {(one.key, one.key): Pair(None, 0, 0, None) for one in standings}
    for one, other in combinations(standings, 2):
        compared = paired(board.scored, one.row.pool, other.row.pool)
        change = compared.change
        found[one.key, other.key] = Pair(
            difference=difference(change.difference, change.interval),
            better=len(change.fixed),
            worse=len(change.broken),
            p_value=compared.p_value,
        )
        found[other.key, one.key] = _turned(found[one.key, other.key])
    return found


def _turned(pair: Pair) -> Pair:
    one = pair.difference
    if one is None or one.low is None or one.high is None:
        raise AssertionError("a comparison without an interval")
    turned = Difference(-one.points, -one.high, -one.low, one.real)
    return Pair(turned, pair.worse, pair.better, pair.p_value)
