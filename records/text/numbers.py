"""Amounts of money, counts of things, and tables in plain text, for readers."""

from collections.abc import Collection, Sequence
from decimal import ROUND_HALF_UP, Decimal

from records.text.visible import make_one_line

_TEN_CENTS = 0.0995
"""Dollars; larger amounts would be ten cents or more if rounded to two significant digits."""


def format_dollars(amount: float) -> str:
    """Return an amount of money, rounded to cents, or to two significant digits below ten cents.

    Zero is ``$0``, because ``$0.00`` could be a small amount that was rounded.
    """
    if amount == 0:
        return "$0"
    if amount >= _TEN_CENTS:
        return f"${amount:.2f}"
    return f"${Decimal(f'{amount:.2g}'):f}"


def round_half_up(value: float, digits: int = 0) -> str:
    """Return a number with ``digits`` digits after the point; 62.5 gives 63, -62.5 gives -63.

    The number is first rounded to nine digits, which removes rounding errors of floats.
    """
    exact = Decimal(repr(round(value, 9)))
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"


def format_count(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, such as ``1 session`` or ``2 sessions``.

    ``plural`` is needed if the plural of the noun is not the noun with an s.
    """
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"


_GAP = "  "
_NARROWEST = 6
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
