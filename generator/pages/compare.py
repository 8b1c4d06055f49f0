"""Every pair of models, and the evals where they differ."""

from generator.contexts.evals import ComparePage, Pair, PairRow
from generator.pages.boards import Board, Standing
from generator.pages.figures import difference
from generator.pages.material import Material
from generator.pages.matrix import columns, matrix_groups, shown
from generator.pages.names import frame
from generator.pages.table import version
from generator.scores.effect import paired


def compare_page(material: Material, board: Board) -> ComparePage:
    """Gather the comparison of all standings of ``board``."""
    place = material.place(board.version)
    standings = shown(board)
    heads = columns(board)
    return ComparePage(
        frame=frame(
            "Compare",
            f"{place}compare/",
            f"Models of {material.titles[board.version]} against one another, eval by eval.",
            "" if place else "compare",
        ),
        version=version(material, board, "compare/"),
        columns=heads,
        pairs=[
            PairRow(head, [_pair(board, one, other) for other in standings])
            for head, one in zip(heads, standings, strict=True)
        ],
        groups=matrix_groups(material, board),
    )


def _pair(board: Board, one: Standing, other: Standing) -> Pair:
    if one is other:
        return Pair(difference=None, better=0, worse=0, p_value=None)
    found = paired(board.scored, one.row.pool, other.row.pool)
    change = found.change
    return Pair(
        difference=difference(change.difference, change.interval),
        better=len(change.fixed),
        worse=len(change.broken),
        p_value=found.p_value,
    )
