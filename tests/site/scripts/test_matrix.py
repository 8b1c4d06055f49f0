"""The matrix in a browser: one stop of the tabulator, arrow keys, and hidden evals."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.site.watching import disable_scripts

pytestmark = pytest.mark.integration

_PLACE = "matrix/"
_STOPS = "table.matrix a:not([tabindex='-1'])"
_HIDE = "Hide evals that every model shown passes"
_PASSED_ROWS = "table.matrix tr.all"


def _find_focus(page: Page) -> list[int]:
    """Row and column of the cell with the focus; empty if the focus is elsewhere."""
    position: list[int] = page.evaluate("""() => {
        const cell = document.activeElement.closest("table.matrix :is(th, td)");
        return cell ? [cell.parentElement.rowIndex, cell.cellIndex] : [];
    }""")
    return position


def test_the_table_is_one_stop_with_arrow_keys(page: Page, address: str) -> None:
    """Tab enters at a link and leaves; arrows go to the next link, past cells without links."""
    page.goto(address + _PLACE)
    expect(page.locator(_STOPS)).to_have_count(1)
    assert page.locator("section.tall[tabindex]").count() == 0
    page.locator(_STOPS).focus()
    start = _find_focus(page)
    assert start[0] == 0
    page.keyboard.press("ArrowRight")
    assert _find_focus(page) == [0, start[1] + 1]
    page.keyboard.press("ArrowDown")
    row, column = _find_focus(page)
    assert row > 0
    assert column == start[1] + 1
    page.keyboard.press("Home")
    assert _find_focus(page) == [row, 0]
    expect(page.locator(_STOPS)).to_have_count(1)
    page.keyboard.press("Tab")
    assert _find_focus(page) == []
    page.keyboard.press("Shift+Tab")
    assert _find_focus(page) == [row, 0]


def test_the_table_can_be_skipped(page: Page, address: str) -> None:
    """The link before the table leads past it; without a script the table's links are stops."""
    with disable_scripts(page):
        page.goto(address + _PLACE)
        assert page.locator(_STOPS).count() > 100
        page.get_by_text("Skip the table").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#after-matrix")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator("#after-matrix a:focus")).to_have_count(1)


def test_evals_that_all_pass_are_hidden_and_the_address_shows_it(page: Page, address: str) -> None:
    """The check box and its address hide them, and clearing the box shows all."""
    page.goto(address + _PLACE)
    rows = page.locator("table.matrix tbody tr:not(.group)").count()
    passed = page.locator(_PASSED_ROWS).count()
    assert 0 < passed < rows
    assert page.locator(f"{_PASSED_ROWS}:visible").count() == passed
    page.get_by_label(_HIDE).check()
    expect(page).to_have_url(re.compile(r"\?hide=passed$"))
    page.goto(page.url)
    assert page.locator(f"{_PASSED_ROWS}:visible").count() == 0
    assert page.locator("table.matrix tbody tr:not(.group):visible").count() == rows - passed
    page.get_by_label(_HIDE).uncheck()
    expect(page).to_have_url(address + _PLACE)
    assert page.locator(f"{_PASSED_ROWS}:visible").count() == passed


def test_models_are_chosen_and_the_address_shows_which(page: Page, address: str) -> None:
    """The choice is by maker and name; hidden models do not count for the rows that all pass."""
    page.goto(address + _PLACE)
    heads = page.locator("table.matrix thead th[data-maker]")
    every = heads.count()
    passed = page.locator(_PASSED_ROWS).count()
    page.locator("[data-models] summary").click()
    page.get_by_label("Models of a maker").select_option("maker:Google")
    visible_heads = page.locator("table.matrix thead th[data-maker]:visible")
    makers = visible_heads.evaluate_all("(all) => all.map((one) => one.dataset.maker)")
    assert makers
    assert set(makers) == {"Google"}
    assert len(makers) < every
    expect(page.locator("[data-models] output")).to_have_text(f"{len(makers)} of {every} models")
    page.get_by_label("Name of a model").fill("flash")
    names = page.locator("[data-models] .models label:visible")
    expect(names).to_have_text(["Gemini 3 Flash Preview"])
    names.locator("input").uncheck()
    expect(visible_heads).to_have_count(len(makers) - 1)
    expect(page).to_have_url(re.compile("models=google%2Fgemini-3-pro-preview"))
    assert page.locator(_PASSED_ROWS).count() > passed
    for row in page.locator(_PASSED_ROWS).all()[:5]:
        assert row.locator("td.m:not(.passed):visible").count() == 0
    page.goto(page.url)
    expect(visible_heads).to_have_count(len(makers) - 1)
    expect(page.locator(_STOPS)).to_have_count(1)
    page.locator("[data-models] summary").click()
    page.get_by_role("button", name="All models").click()
    expect(visible_heads).to_have_count(every)
    expect(page).to_have_url(address + _PLACE)


def test_rows_and_columns_beyond_the_edges_fade_until_they_are_scrolled_to(
    page: Page, address: str
) -> None:
    """The table's box shows that more is below and to the right, and no longer at the end."""
    page.set_viewport_size({"width": 320, "height": 900})
    page.goto(f"{address}benchmarks/feedfacecafe/matrix/")
    box = page.locator("section.tall")
    assert box.evaluate("(one) => one.scrollHeight > one.clientHeight")
    _expect_fades(box, "40px", "40px")
    box.evaluate("(one) => one.scrollTo(0, one.scrollHeight)")
    _expect_fades(box, "40px", "0px")
    box.evaluate("(one) => one.scrollTo(one.scrollWidth, one.scrollHeight)")
    _expect_fades(box, "0px", "0px")


def _expect_fades(box: Locator, right: str, foot: str) -> None:
    """Wait until a box fades over these lengths at its right and at its foot."""
    expect(box).to_have_css("--fade-right", right)
    expect(box).to_have_css("--fade-foot", foot)
