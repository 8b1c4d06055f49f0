"""Targets of links, and stops of the keyboard, which sticky heads must not cover."""

import pytest
from playwright.sync_api import Browser

from tests.site.example_site import BuiltSite, kinds

pytestmark = pytest.mark.integration

# Whether an element, or something in it, stands at its first line's quarter, middle or three
# quarters: a browser leaves a long link alone that begins within a box and ends beyond it.
_SEEN = """
const seen = (element) => {
  const box = [...element.getClientRects()].find((each) => each.width > 0 && each.height > 0);
  if (!box) return true;
  return [0.25, 0.5, 0.75].some((part) => {
    const top = document.elementFromPoint(box.x + box.width * part, box.y + box.height / 2);
    return top !== null && (element.contains(top) || top.contains(element));
  });
};
"""
_COVERED_ROWS = f"""() => {{
  {_SEEN}
  return [...document.querySelectorAll("tr[id]")].filter((row) => {{
    location.hash = row.id;
    const link = row.querySelector("a, th, td");
    return !seen(link);
  }}).map((row) => row.id);
}}"""
_COVERED_STOPS = f"""() => {{
  {_SEEN}
  const found = document.querySelectorAll("main :is(a[href], button, input, select, summary)");
  return [...found, ...[...found].reverse()].filter((stop) => {{
    if (stop.closest(".skip") || !stop.checkVisibility()) return false;
    stop.focus();
    return document.activeElement === stop && !seen(stop);
  }}).map((stop) => stop.outerHTML.slice(0, 120));
}}"""


@pytest.mark.parametrize(
    "width", [1280, *(pytest.param(width, marks=pytest.mark.night) for width in (390, 1600))]
)
def test_a_row_that_a_link_leads_to_is_in_sight(
    browser: Browser, site: BuiltSite, address: str, width: int
) -> None:
    """An address with an anchor shows that row, below the table's own head."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    covered: dict[str, list[str]] = {}
    for name, path in kinds(site).items():
        page.goto(address + path)
        if hidden := page.evaluate(_COVERED_ROWS):
            covered[name] = hidden
    page.close()
    assert covered == {}


@pytest.mark.parametrize(
    "width",
    [390, *(pytest.param(width, marks=pytest.mark.night) for width in (320, 1280, 1600))],
)
def test_what_has_the_focus_is_in_sight(
    browser: Browser, site: BuiltSite, address: str, width: int
) -> None:
    """Going through the main part and back, no stop is hidden by a head or a first column.

    That is success criterion 2.4.11 of WCAG 2.2, which axe-core does not see.
    """
    page = browser.new_page(viewport={"width": width, "height": 800})
    covered: dict[str, list[str]] = {}
    for name, path in kinds(site).items():
        page.goto(address + path)
        if hidden := page.evaluate(_COVERED_STOPS):
            covered[name] = hidden
    page.close()
    assert covered == {}
