"""A table in plain text: columns side by side, cut where a terminal is too narrow for them."""

from collections.abc import Collection, Sequence
from typing import Final

from records.text.visible import one_line

_GAP: Final = "  "
_NARROWEST: Final = 6
"""Characters that a column keeps however narrow the terminal is."""


def table_lines(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None = None,
    whole: Collection[str] = (),
) -> list[str]:
    """Return the lines of a table: its head and rows, each cell as one visible line.

    Args:
        head: the names of the columns.
        rows: texts, as many in each row as there are columns.
        width: the most characters of a line; None for any number. The widest columns are cut, and
            each cell that is cut ends in an ellipsis.
        whole: names of columns that are cut last: ids, dates and the like are of no use in part.
    """
    cells = [[one_line(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    if width is not None:
        most = width - len(_GAP) * (len(widths) - 1)
        elastic = [index for index, name in enumerate(head) if name not in whole]
        widths = _narrowed(_narrowed(widths, most, elastic), most, range(len(widths)))
    return [
        _GAP.join(
            one_line(cell, size).ljust(size) for cell, size in zip(row, widths, strict=True)
        ).rstrip()
        for row in cells
    ]


def _narrowed(widths: Sequence[int], most: int, elastic: Sequence[int]) -> list[int]:
    """Return widths of which the sum is ``most``, as far as the ``elastic`` columns can be cut."""
    narrowed = list(widths)
    while elastic and sum(narrowed) > most:
        widest = max(elastic, key=narrowed.__getitem__)
        if narrowed[widest] <= _NARROWEST:
            break
        narrowed[widest] -= 1
    return narrowed
