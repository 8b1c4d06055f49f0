"""Every pair of models, and the evals where they differ."""

from collections.abc import Sequence

from generator.contexts.evals import ComparePage, PairRow
from generator.escaping import trusted
from generator.pages.boards import Board, Standing
from generator.pages.material import Material
from generator.pages.matrix import columns, matrix_cells, matrix_groups, shown
from generator.pages.names import frame
from generator.pages.rows.pairs import ITSELF, pair_cell
from generator.pages.table import version
from generator.scores.compare import each_pair


def compare_page(material: Material, board: Board) -> ComparePage:
    """Gather the comparison of all standings of ``board``."""
    place = material.place(board.version)
    heads = columns(board)
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
        pairs=[PairRow(head, row) for head, row in zip(heads, _rows(shown(board)), strict=True)],
        groups=matrix_groups(material, board, matrix_cells(material, board, around.root)),
    )


def _rows(standings: Sequence[Standing]) -> list[str]:
    """Compare every two; the second against the first is the same turned over."""
    found = each_pair([one.row.pool for one in standings])
    cells = {(place, place): ITSELF for place in range(len(standings))}
    for (one, other), against in found.items():
        cells[one, other] = pair_cell(against)
        cells[other, one] = pair_cell(against.turned())
    places = range(len(standings))
    return [trusted("".join([cells[one, other] for other in places])) for one in places]
