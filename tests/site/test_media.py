"""Pages with a reader's settings: forced colours, paper, a very small phone."""

from typing import NamedTuple

import pytest
from playwright.sync_api import Browser

from tests.site.example_site import BuiltSite, kinds

pytestmark = pytest.mark.integration

_A4_PX = 703
"""Width of a page of paper without its margins, at 96 pixels an inch."""
_LEAST_PX = 12
"""Smallest size of a text."""


@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.night)])
def test_forced_colours_leave_marks_borders_and_focus(
    browser: Browser, site: BuiltSite, address: str, scheme: str
) -> None:
    """Bars, whiskers and points stand out from their ground: at least 3 to 1, as WCAG 1.4.11 asks.

    The navigation underlines the entry of the page, and the element with the focus has an outline.
    """
    window = browser.new_context(
        viewport={"width": 1280, "height": 900},
        forced_colors="active",
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = window.new_page()
    wrong: dict[str, list[str]] = {}
    drawn = 0
    for name, path in kinds(site).items():
        page.goto(address + path)
        assert page.evaluate("matchMedia('(forced-colors: active)').matches")
        measured: dict[str, list[str]] = page.evaluate(_FORCED)
        drawn += len(measured["marks"])
        complaints = measured["faint"] + measured["lost"] + measured["unmarked"]
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        complaints += page.evaluate(_UNOUTLINED)
        if complaints:
            wrong[name] = complaints
    window.close()
    assert drawn > 100
    assert wrong == {}


# Marks of charts, too faint marks, and wrongly underlined entries of the head's navigation.
_FORCED = """() => {
  const parsed = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (color) => {
    const [r, g, b] = parsed(color).slice(0, 3).map((one) => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const canvas = getComputedStyle(document.body).backgroundColor;
  const marks = [...document.querySelectorAll(
    "svg.bar rect, svg.bar path:not(.zero), svg.plot circle, svg.plot .range, svg.plot .frontier",
  )].filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 0);
  const seen = (one) => {
    const style = getComputedStyle(one);
    const colors = [style.fill, style.stroke].filter((color) => color !== "none");
    return colors.some((color) => parsed(color)[3] !== 0 && contrast(color, canvas) >= 3);
  };
  const underlined = [...document.querySelectorAll("header.site nav a")]
    .filter((one) => getComputedStyle(one).borderBottomStyle !== "none");
  const current = [...document.querySelectorAll("header.site nav a[aria-current]")];
  return {
    marks: marks.map((one) => one.tagName),
    faint: marks.filter((one) => !seen(one)).map((one) => `faint: ${one.outerHTML.slice(0, 80)}`),
    lost: [
      ...[...document.querySelectorAll("svg.bar path:not(.zero)")].filter((one) => {
        const under = one.parentElement.querySelector("rect");
        return under && contrast(getComputedStyle(one).stroke, getComputedStyle(under).fill) < 3;
      }),
      ...[...document.querySelectorAll(".heat.h9")].filter(
        (one) => getComputedStyle(one).backgroundImage === "none",
      ),
    ].map((one) => `lost: ${one.outerHTML.slice(0, 80)}`),
    unmarked: current.length === underlined.length && current[0] === underlined[0]
      ? [] : [`underlined: ${underlined.map((one) => one.textContent)}`],
  };
}"""
_UNOUTLINED = """() => {
  const focused = document.activeElement;
  const style = getComputedStyle(focused);
  const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return seen ? [] : [focused.outerHTML.slice(0, 80)];
}"""


class Printed(NamedTuple):
    """A page kind on paper."""

    tables: int
    wrong: list[str]
    """Content for a screen only, or content that would be cut off."""
    cut: list[str]
    """Tables beyond the paper's edge, and headings that may stand alone."""


@pytest.fixture(scope="module")
def printed(browser: Browser, site: BuiltSite, address: str) -> dict[str, Printed]:
    """Every page kind on paper, each loaded once."""
    window = browser.new_context(viewport={"width": _A4_PX, "height": 1000})
    page = window.new_page()
    page.emulate_media(media="print")
    printed: dict[str, Printed] = {}
    for name, path in kinds(site).items():
        # The script loads the content that an address chooses.
        page.goto(address + path, wait_until="networkidle" if "?" in path else "load")
        tables = page.locator("table:visible").count()
        wrong, cut = page.evaluate(_PRINTED_WRONGLY), page.evaluate(_BEYOND_THE_PAPER)
        printed[name] = Printed(tables, wrong, cut)
    window.close()
    return printed


def test_on_paper_tables_are_whole_and_controls_are_gone(printed: dict[str, Printed]) -> None:
    """No box scrolls, no head covers a row, and no control for a screen is there."""
    assert sum(page.tables for page in printed.values()) > len(printed)
    assert {name: page.wrong for name, page in printed.items() if page.wrong} == {}


_PRINTED_WRONGLY = """() => {
  const gone = "header.site nav, footer.site nav, .skip, .search, .tools, .switch, .choice, .data";
  const there = [...document.querySelectorAll(gone)].filter((one) => one.checkVisibility());
  const boxes = [...document.querySelectorAll(".wide, pre, figure")].filter((one) => {
    const style = getComputedStyle(one);
    const cut = style.overflowX !== "visible" || style.overflowY !== "visible";
    return one.checkVisibility() && (cut || style.maskImage !== "none");
  });
  const covering = [...document.querySelectorAll("th")].filter(
    (one) => one.checkVisibility() && getComputedStyle(one).position === "sticky",
  );
  return [...new Set([...there, ...boxes, ...covering])].map((one) => one.outerHTML.slice(0, 80));
}"""


def test_no_table_is_cut_off_on_paper(printed: dict[str, Printed]) -> None:
    """Each ends at the edge of the paper at most, and no heading stands alone at a page's foot."""
    assert {name: page.cut for name, page in printed.items() if page.cut} == {}


_BEYOND_THE_PAPER = """() => {
  const paper = document.documentElement.clientWidth;
  const tables = [...document.querySelectorAll("table")].filter((one) => one.checkVisibility());
  const wide = tables.filter((one) => one.getBoundingClientRect().right > paper + 1);
  const alone = [...document.querySelectorAll("h2, h3")].filter(
    (one) => getComputedStyle(one).breakAfter !== "avoid",
  );
  return [...wide, ...alone].map(
    (one) => `${one.getBoundingClientRect().right.toFixed()}: ${one.outerHTML.slice(0, 80)}`,
  );
}"""


class Drawn(NamedTuple):
    """A page kind in a window."""

    small: list[str]
    """Texts that are too small."""
    stacked: int
    """Tables whose rows become paragraphs on a phone."""
    beyond: list[str]
    """Elements that are too wide, and figures without a label."""


def draw_kinds(browser: Browser, site: BuiltSite, address: str, width: int) -> dict[str, Drawn]:
    """Return every page kind in a window of that width, each loaded once."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    drawn: dict[str, Drawn] = {}
    for name, path in kinds(site).items():
        page.goto(address + path)
        small, beyond = page.evaluate(_SMALL, _LEAST_PX), page.evaluate(_BEYOND)
        drawn[name] = Drawn(small, page.locator("table.stacked").count(), beyond)
    page.close()
    return drawn


@pytest.fixture(scope="module")
def on_a_phone(browser: Browser, site: BuiltSite, address: str) -> dict[str, Drawn]:
    """Every page kind on a phone."""
    return draw_kinds(browser, site, address, 390)


def test_no_text_is_smaller_than_twelve_pixels(on_a_phone: dict[str, Drawn]) -> None:
    """The limit holds on a phone for tables, charts and all other texts, after scaling."""
    assert {name: page.small for name, page in on_a_phone.items() if page.small} == {}


@pytest.mark.night
def test_no_text_of_a_desk_is_smaller_than_twelve_pixels(
    browser: Browser, site: BuiltSite, address: str
) -> None:
    """The limit holds in a wide window, too."""
    drawn = draw_kinds(browser, site, address, 1280)
    assert {name: page.small for name, page in drawn.items() if page.small} == {}


_SMALL = """(least) => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !one.checkVisibility()) continue;
    const scale = one instanceof SVGElement ? one.getScreenCTM()?.a ?? 1 : 1;
    const size = parseFloat(getComputedStyle(one).fontSize) * scale;
    if (size < least - 0.01) found.add(`${size.toFixed(1)} px: ${one.outerHTML.slice(0, 80)}`);
  }
  return [...found].slice(0, 5);
}"""


def test_no_page_kind_scrolls_sideways_at_320_pixels(
    browser: Browser, site: BuiltSite, address: str
) -> None:
    """Tables and code scroll within their boxes, as WCAG 1.4.10 allows; the page does not."""
    page = browser.new_page(viewport={"width": 320, "height": 640})
    beyond: dict[str, int] = {}
    for name, path in kinds(site).items():
        # The script loads the content that an address chooses, and the page grows by it.
        page.goto(address + path, wait_until="networkidle" if "?" in path else "load")
        page.evaluate("scrollTo(100, 0)")
        if moved := page.evaluate("scrollX"):
            beyond[name] = moved
    page.close()
    assert beyond == {}


def test_the_first_model_is_in_sight_on_a_phone(browser: Browser, address: str) -> None:
    """On the front page it begins within 400 pixels of the top, below the sentences."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(address)
    row = page.locator("table.board tbody tr:not(.group)").first.bounding_box()
    page.close()
    assert row is not None
    assert row["y"] <= 400


def test_rows_of_many_columns_are_paragraphs_on_a_phone(on_a_phone: dict[str, Drawn]) -> None:
    """Nothing of such a row is beyond the edge, and each figure in it has its label before it."""
    assert {name: page.beyond for name, page in on_a_phone.items() if page.beyond} == {}
    seen = {name for name, page in on_a_phone.items() if page.stacked}
    assert {"archive", "errata", "guidelines", "model", "models", "report", "run"} <= seen


_BEYOND = """() => [...document.querySelectorAll("table.stacked")].flatMap((table) => {
  const wide = table.scrollWidth > document.documentElement.clientWidth;
  const bare = [...table.querySelectorAll("td.num:not(.missing)")].filter(
    (cell) => cell.checkVisibility() && !cell.matches("[data-label], .between, .m")
      && /^[\\d.,]+$/.test(cell.innerText.trim()),
  );
  return [...(wide ? [table] : []), ...bare].map((one) => one.outerHTML.slice(0, 80));
})"""
