"""Tables of the example site: one unit and equal digits in each column."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.site.example_site import BuiltSite, list_page_kinds

pytestmark = pytest.mark.integration

_AMOUNT: Final = re.compile(r"(?:< )?(\$?)([\d,]+)(?:\.(\d+))?( ms| s| min|%)?")
_MIXED: Final = {"p", "Before", "After"}
"""Columns without equal digits: p-values, where only significant digits count, and two runs, whose
rows are different quantities.
"""


def test_each_column_has_one_unit_and_equal_digits(site: BuiltSite) -> None:
    """Money, time, percentages and other numbers are checked on every kind of page."""
    pages = {path.partition("?")[0] for path in list_page_kinds(site).values()}
    columns = 0
    for path in sorted(pages):
        file = site.folder / (path if path.endswith(".html") else f"{path}index.html")
        for table in LexborHTMLParser(file.read_text(encoding="utf-8")).css("table"):
            for head, texts in _list_columns(table):
                forms = {form: text for text in texts if (form := _parse_form(text)) is not None}
                columns += bool(forms)
                assert len(forms) <= 1 or head in _MIXED, f"/{path}, {head}: {forms}"
    assert columns > 100, "tables were read"


def _list_columns(table: LexborNode) -> Iterator[tuple[str, list[str]]]:
    """Yield the head of each column of a table that has heads, and the texts of its cells."""
    heads = [_read_text(cell) for cell in table.css("thead tr:last-child > *")]
    rows = [row.css("th, td") for row in table.css("tbody tr")]
    whole = [row for row in rows if len(row) == len(heads)]
    for index, head in enumerate(heads):
        yield head, [_read_text(row[index]) for row in whole]


def _read_text(cell: LexborNode) -> str:
    """Return the first figure of a cell: a score without its range, a share without its count."""
    value = cell.css_first(".value") or cell
    for small in value.css("small, svg, .tag"):
        small.decompose()
    return " ".join(value.text().split())


def _parse_form(text: str) -> tuple[str, int] | None:
    """Return an amount's unit and digits; None for another text."""
    amount = _AMOUNT.fullmatch(text)
    if amount is None:
        return None
    money, _, digits, unit = amount.groups()
    return f"{money}{unit or ''}", len(digits or "")
