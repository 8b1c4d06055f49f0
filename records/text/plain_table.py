"""A table in plain text, whose columns are cut if a terminal is too narrow for them."""

from collections.abc import Collection, Sequence
from typing import Final

from records.text.visible import make_one_line

_GAP: Final = "  "
_NARROWEST: Final = 6
"""Characters of a column that are never cut off."""


def format_table_lines(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None = None,
    whole: Collection[str] = (),
) -> list[str]:
    """Return the lines of a table: the head, then each row.

    Args:
        head: the names of the columns.
        rows: texts, as many in each row as there are columns.
        width: the most characters of a line; None for no limit. The widest columns are cut first,
            and a cell that is cut ends with an ellipsis.
        whole: names of columns that are cut last, such as ids and dates, whose parts are of no use.
    """
    cells = [[make_one_line(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    if width is not None:
        most = width - len(_GAP) * (len(widths) - 1)
        elastic = [index for index, name in enumerate(head) if name not in whole]
        widths = _cut_widths(_cut_widths(widths, most, elastic), most, range(len(widths)))
    return [
        _GAP.join(
            make_one_line(cell, size).ljust(size) for cell, size in zip(row, widths, strict=True)
        ).rstrip()
        for row in cells
    ]


def _cut_widths(widths: Sequence[int], most: int, elastic: Sequence[int]) -> list[int]:
    """Return widths whose sum is at most ``most``, as far as the ``elastic`` columns can be cut."""
    cut_widths = list(widths)
    while elastic and sum(cut_widths) > most:
        widest = max(elastic, key=cut_widths.__getitem__)
        if cut_widths[widest] <= _NARROWEST:
            break
        cut_widths[widest] -= 1
    return cut_widths
