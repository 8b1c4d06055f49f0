"""Layout shifts: nothing on a page moves after the first paint, even with a late script."""

import time

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.site.example_site import BuiltSite, kinds

pytestmark = pytest.mark.integration

_OBSERVED = """
globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const moved = entry.sources.map((one) => one.node?.outerHTML?.slice(0, 80) ?? one.node?.data);
    globalThis.shifts.push(`${entry.value.toFixed(4)} ${moved}`);
  }
}).observe({ type: "layout-shift", buffered: true });
"""
_LATE_S = 0.2
_SEEN_S = 30


@pytest.mark.integration(reason="scripts are held back on every page kind")
@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.night)])
def test_no_page_kind_shifts(browser: Browser, site: BuiltSite, address: str, width: int) -> None:
    """The browser reports no layout shift on any page kind.

    On pages whose content depends on the address, the script moves the content, so there the script
    is not held back.
    """
    context = browser.new_context(viewport={"width": width, "height": 900})
    context.add_init_script(_OBSERVED)
    late, prompt = context.new_page(), context.new_page()
    late.route("**/assets/*.js", _held_back)
    shifted = {
        name: shifts
        for name, path in kinds(site).items()
        if (shifts := _shifts(prompt if "?" in path else late, address + path))
    }
    context.close()
    assert shifted == {}


def test_a_shift_would_be_seen(browser: Browser, address: str) -> None:
    """The observer reports the moved elements when an image is put above the text."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(_OBSERVED)
    page = context.new_page()
    assert _shifts(page, f"{address}about/") == []
    page.evaluate("document.querySelector('main').prepend(new Image(200, 400))")
    # Not by `wait_for_function`: it evaluates code a second time as the page would, and the
    # published policy forbids that.
    until = time.monotonic() + _SEEN_S
    while not page.evaluate("globalThis.shifts.length"):
        assert time.monotonic() < until
        page.wait_for_timeout(20)
    context.close()


def _held_back(route: Route) -> None:
    time.sleep(_LATE_S)
    route.continue_()


def _shifts(page: Page, address: str) -> list[str]:
    page.goto(address, wait_until="load")
    # Two frames: in the first the change is laid out, in the second it is reported.
    page.evaluate("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")
    page.wait_for_timeout(50)
    return page.evaluate("globalThis.shifts")
