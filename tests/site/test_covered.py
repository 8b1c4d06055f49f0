"""Rows that links lead to, and stops of the keyboard, are not covered by sticky heads."""

import pytest
from playwright.sync_api import Browser

from tests.site.example_site import BuiltSite, kinds

# Whether the middle of an element's first line is the element itself, or something in it.
_SEEN = """
const seen = (element) => {
  const box = [...element.getClientRects()].find((each) => each.width > 0 && each.height > 0);
  if (!box) return true;
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return top !== null && (element.contains(top) || top.contains(element));
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
  const stops = [...document.querySelectorAll("main :is(a[href], button, input, select, summary)")];
  return stops.reverse().filter((stop) => {{
    if (stop.closest(".skip") || !stop.checkVisibility()) return false;
    stop.focus();
    return document.activeElement === stop && !seen(stop);
  }}).map((stop) => stop.outerHTML.slice(0, 120));
}}"""


@pytest.mark.parametrize("width", [390, 1280, 1600])
def test_a_row_that_a_link_leads_to_is_in_sight(
    browser: Browser, site: BuiltSite, address: str, width: int
) -> None:
    """Following an address with an anchor shows that row, below the table's own head."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    covered: dict[str, list[str]] = {}
    for name, path in kinds(site).items():
        page.goto(address + path)
        if hidden := page.evaluate(_COVERED_ROWS):
            covered[name] = hidden
    page.close()
    assert covered == {}


@pytest.mark.parametrize("width", [1280])
def test_what_has_the_focus_is_in_sight(
    browser: Browser, site: BuiltSite, address: str, width: int
) -> None:
    """Going back through the main part by keyboard, no stop is hidden by a head or a first column.

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
