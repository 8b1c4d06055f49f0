"""Every page kind, loaded once at a phone's and a desk's width: what the browser saw there.

The tests of one module wait for one walk: in several modules, workers would wait for each other.
The last test proves that the observer of layout shifts reports a shift.
"""

import time
from itertools import product

import pytest
from playwright.sync_api import Browser, Page

from tests.site.example_site import BuiltSite
from tests.site.measures import read_measures
from tests.site.serving import find_published_headers
from tests.site.walks.walk import (
    AT_A_DESK,
    PHONE,
    Walk,
    select_complaints,
    walk_at,
)
from tests.site.watching import open_window

pytestmark = pytest.mark.integration

_SEEN_S = 30
"""Seconds after which a shift that was made must have been reported."""

on_a_desk = walk_at(AT_A_DESK, at_night=[(1280, "light"), (1280, "dark")])
on_a_phone = walk_at(PHONE, at_night=[(390, "light")])


@walk_at(PHONE, AT_A_DESK, at_night=product((390, 768, 1280, 1920), ("light", "dark")))
def test_every_page_kind_fits_its_window(walk: Walk) -> None:
    """No page is wider than its window; none reports an error, or breaks the published policy.

    Under netlify.toml's headers no page logs, or calls another host.

    Set SCREENSHOTS to a folder to look at pictures of them afterwards.
    """
    beyond = {name: values["beyond"] for name, values in walk.items() if values["beyond"] > 0}
    assert beyond == {}
    assert select_complaints(walk, "wrong") == {}


@walk_at(AT_A_DESK, at_night=[(390, "light"), (1280, "light"), (1600, "light")])
def test_a_row_that_a_link_leads_to_is_in_sight(walk: Walk) -> None:
    """An address with an anchor shows that row, below the table's own head."""
    assert select_complaints(walk, "covered_rows") == {}


@walk_at(PHONE, at_night=[(320, "light"), (390, "light"), (1280, "light"), (1600, "light")])
def test_the_focused_element_is_in_sight(walk: Walk) -> None:
    """Going through the main part and back, no stop is hidden by a head or a first column.

    That is success criterion 2.4.11 of WCAG 2.2, which axe-core does not see.
    """
    assert select_complaints(walk, "covered_stops") == {}


@walk_at(PHONE, AT_A_DESK, at_night=product((390, 1280), ("light", "dark")))
def test_axe_finds_nothing_on_any_page_kind(walk: Walk) -> None:
    """No violation of axe-core's rules, in either scheme, on a phone and on a desk.

    `make test` examines half of the structures on a phone, `make test-more` the other half on a
    desk; the night examines all in every way.
    The size of controls is checked, too, 24 by 24 px or as far from their neighbours (WCAG 2.5.8),
    which axe-core leaves out by itself.
    """
    examined = {name: values for name, values in walk.items() if "violations" in values}
    assert len(examined) >= len(walk) // 2
    assert select_complaints(examined, "violations") == {}


def test_headers_are_strict_and_only_hashed_files_are_kept_for_ever() -> None:
    """The policy allows no inline code; files with a hash in their name are cached for a year."""
    page, asset = find_published_headers("/"), find_published_headers("/assets/site.0123456789.css")
    policy = page["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page["X-Content-Type-Options"] == "nosniff"
    assert "max-age=63072000" in page["Strict-Transport-Security"]
    assert {"Referrer-Policy", "Permissions-Policy"} <= page.keys()
    assert "must-revalidate" in page["Cache-Control"]
    assert "immutable" in asset["Cache-Control"]
    assert asset["Content-Security-Policy"] == policy


def test_the_front_page_is_light(site: BuiltSite) -> None:
    """A page asks for a style sheet, the search, and the scripts of tables and charts alone."""
    html = (site.folder / "index.html").read_text()
    assert html.count('<link rel="stylesheet"') == 1
    assert html.count("<script") == 3


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


@walk_at(PHONE, AT_A_DESK, at_night=[(390, "light"), (1280, "dark")])
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


@walk_at(PHONE, at_night=[(390, "light"), (1280, "light")])
def test_no_page_kind_shifts(walk: Walk) -> None:
    """The browser reports no layout shift on any page kind.

    On pages whose content depends on the address, the script moves the content, so there the script
    is not held back.
    """
    assert select_complaints(walk, "shifts") == {}


def test_a_shift_would_be_seen(browser: Browser, address: str) -> None:
    """The observer reports the moved elements when an image is put above the text."""
    context = open_window(browser, 1280)
    context.add_init_script(read_measures()["observed"])
    page = context.new_page()
    page.goto(f"{address}about/")
    assert page.evaluate("globalThis.shifts") == []
    page.evaluate("document.querySelector('main').prepend(new Image(200, 400))")
    # Not by `wait_for_function`: it evaluates code a second time as the page would, and the
    # published policy forbids that.
    until = time.monotonic() + _SEEN_S
    while not page.evaluate("globalThis.shifts.length"):
        assert time.monotonic() < until
        page.wait_for_timeout(20)
    context.close()
