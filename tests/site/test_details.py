"""Small parts of pages: empty cells, names below titles, captions, menus and messages."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.site.example_site import VERSION, BuiltSite, list_page_kinds
from tests.site.watching import resize_window

pytestmark = pytest.mark.integration
_DESK, _PHONE = 1280, 390
_TITLE_PX = 300
"""Least width of the column of titles in the table of attempts."""
_LONG = 115
"""Characters of a line for which a window of the width of a desk has no room."""


def _open(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(address)


def test_no_cell_in_the_list_of_models_is_empty(page: Page, site: BuiltSite, address: str) -> None:
    """A dash stands where a model has no such value; a phone leaves the dash out."""
    _open(page, address + list_page_kinds(site)["models"], _DESK)
    cells = page.locator("[data-table=models] tbody td").all_inner_texts()
    resize_window(page, _PHONE)
    phone_cells = page.locator("[data-table=models] tbody td:visible").all_inner_texts()
    assert len(cells) > 40
    assert [text for text in cells if not text.strip()] == []
    assert "\N{EN DASH}" in {text.strip() for text in cells}
    assert "\N{EN DASH}" not in {text.strip() for text in phone_cells}


@pytest.mark.parametrize("kind", ["report", "pair"])
@pytest.mark.parametrize("width", [_DESK, _PHONE])
def test_the_name_of_an_eval_stands_below_its_title(
    page: Page, site: BuiltSite, address: str, kind: str, width: int
) -> None:
    """It does so in each row, so that rows are alike."""
    _open(page, address + list_page_kinds(site)[kind], width)
    beside = page.locator('th[scope="row"] > a + code.provider').evaluate_all(
        "(names) => names.map((name) => name.getBoundingClientRect().top >="
        " name.previousElementSibling.getBoundingClientRect().bottom - 1)"
    )
    assert beside
    assert all(beside)


def test_a_phone_shows_no_second_names_in_the_matrix(page: Page, address: str) -> None:
    """There is room for the titles alone; a desk shows the names behind the titles."""
    _open(page, f"{address}benchmarks/convex-evals-66-dbe4c5df/matrix/", _DESK)
    names = page.locator("table.matrix tbody th code")
    assert names.first.is_visible()
    resize_window(page, _PHONE)
    assert names.first.is_hidden()


def test_titles_of_attempts_take_the_room_that_reasons_leave(
    page: Page, site: BuiltSite, address: str
) -> None:
    """The column of titles is not pressed together beside a column that few rows fill."""
    _open(page, address + list_page_kinds(site)["own-run"], _DESK)
    width = page.locator("table.attempts tbody th[scope=row]").first.evaluate(
        "(cell) => cell.getBoundingClientRect().width"
    )
    assert width >= _TITLE_PX


def test_lines_of_the_prompt_are_not_broken_on_a_desk(
    page: Page, site: BuiltSite, address: str
) -> None:
    """The method page shows lines of the user message as they are sent, but for very long ones."""
    _open(page, address + list_page_kinds(site)["about"], _DESK)
    text = page.locator("pre", has_text="# Reply format").first.locator("code")
    lines = text.inner_text().rstrip("\n").split("\n")
    drawn = text.evaluate(_DRAWN_LINES)
    long = [line for line in lines if len(line) > _LONG]
    assert len(lines) > 30
    assert len(long) < 3
    assert drawn <= len(lines) + len(long)


_DRAWN_LINES = """(text) => {
  const range = document.createRange();
  range.selectNodeContents(text);
  return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
}"""


@pytest.mark.parametrize("width", [320, 340, 420])
def test_a_count_beside_an_eval_is_not_broken(page: Page, address: str, width: int) -> None:
    """The words "1 failure" stand on one line, behind a name of any length."""
    _open(page, f"{address}evals/", width)
    page.locator("#blamed").evaluate("(group) => { group.open = true; }")
    counts = page.locator("#blamed li small").evaluate_all(
        f"(counts) => counts.map({_DRAWN_LINES})"
    )
    assert counts
    assert set(counts) == {1}


def test_the_menu_of_models_sets_a_condition_apart_from_the_name(page: Page, address: str) -> None:
    """A baseline has a small word under its name: both are words of their own in the menu."""
    _open(page, f"{address}benchmarks/{VERSION}/matrix/", _DESK)
    page.locator("[data-models] summary").click()
    names = page.locator("[data-models] .models label").all_inner_texts()
    assert [name.strip() for name in names if name.endswith("baseline")] == ["Model 5 baseline"]


def test_reasons_of_several_models_stand_on_lines_of_their_own(page: Page, address: str) -> None:
    """Reasons are sentences, so no separator follows their period."""
    models = "maker0/model-0,maker1/model-1,maker3/model-3:free"
    _open(page, f"{address}benchmarks/{VERSION}/compare/?models={models}", _DESK)
    page.locator("table.told").first.wait_for()
    reasons = page.locator("table.told td.text")
    texts = reasons.all_inner_texts()
    breaks = reasons.locator("br").count()
    assert breaks
    assert [text for text in texts if ".;" in text] == []


_AMOUNT = re.compile(r"(?:< )?(\$?)([\d,]+)(?:\.(\d+))?( ms| s| min|%)?")
_MIXED = {"p", "Before", "After"}
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
