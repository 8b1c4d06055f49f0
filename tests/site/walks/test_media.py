"""Pages with a reader's settings: forced colours, paper, a very small phone."""

import pytest
from playwright.sync_api import Page

from tests.site.walks.walk import (
    AT_A_DESK,
    PHONE,
    Walk,
    make_night_params,
    name_look,
    select_complaints,
)

pytestmark = pytest.mark.integration

on_a_desk = pytest.mark.parametrize(
    "walk",
    [AT_A_DESK, *make_night_params((1280, "light"), (1280, "dark"))],
    indirect=True,
    ids=name_look,
)
on_a_phone = pytest.mark.parametrize(
    "walk", [PHONE, *make_night_params((390, "light"))], indirect=True, ids=name_look
)


@on_a_desk
def test_forced_colours_leave_marks_borders_and_focus(walk: Walk) -> None:
    """Bars, whiskers and points stand out from their ground: at least 3 to 1, as WCAG 1.4.11 asks.

    The navigation underlines the entry of the page, and the element with the focus has an outline.
    """
    assert sum(values["forced_marks"] for values in walk.values()) > 100
    assert select_complaints(walk, "forced_complaints") == {}


@on_a_desk
def test_on_paper_tables_are_whole_and_controls_are_gone(walk: Walk) -> None:
    """No box scrolls, no head covers a row, and no control for a screen is there."""
    assert sum(values["printed_tables"] for values in walk.values()) > len(walk)
    assert select_complaints(walk, "printed_wrongly") == {}


@on_a_desk
def test_no_table_is_cut_off_on_paper(walk: Walk) -> None:
    """Each ends at the edge of the paper at most, and no heading stands alone at a page's foot."""
    assert select_complaints(walk, "beyond_the_paper") == {}


@pytest.mark.parametrize(
    "walk",
    [PHONE, AT_A_DESK, *make_night_params((390, "light"), (1280, "dark"))],
    indirect=True,
    ids=name_look,
)
def test_no_text_is_smaller_than_twelve_pixels(walk: Walk) -> None:
    """The limit holds on a phone and on a desk for tables, charts and all other texts, as drawn."""
    assert select_complaints(walk, "small") == {}


@on_a_phone
def test_no_page_kind_scrolls_sideways_at_320_pixels(walk: Walk) -> None:
    """Tables and code scroll within their boxes, as WCAG 1.4.10 allows; the page does not."""
    assert select_complaints(walk, "sideways") == {}


def test_the_first_model_is_in_sight_on_a_phone(page: Page, address: str) -> None:
    """On the front page it begins within 550 pixels of the top, below navigation and sentences."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address)
    row = page.locator("table.board tbody tr:not(.group)").first.bounding_box()
    assert row is not None
    assert row["y"] <= 550


@on_a_phone
def test_rows_of_many_columns_are_paragraphs_on_a_phone(walk: Walk) -> None:
    """Nothing of such a row is beyond the edge, and each figure in it has its label before it."""
    assert select_complaints(walk, "beyond_stacked") == {}
    stacked = {name for name, values in walk.items() if values["stacked"]}
    assert {"archive", "errata", "guidelines", "model", "models", "report", "run"} <= stacked
