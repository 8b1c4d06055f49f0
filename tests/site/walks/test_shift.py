"""Layout shifts: nothing on a page moves after the first paint, even with a late script."""

import time

import pytest
from playwright.sync_api import Browser

from tests.site.measures import OBSERVED
from tests.site.walks.walk import PHONE, Walk, make_night_params, name_look, select_complaints
from tests.site.watching import open_window

pytestmark = pytest.mark.integration

_SEEN_S = 30


@pytest.mark.parametrize(
    "walk",
    [PHONE, *make_night_params((390, "light"), (1280, "light"))],
    indirect=True,
    ids=name_look,
)
def test_no_page_kind_shifts(walk: Walk) -> None:
    """The browser reports no layout shift on any page kind.

    On pages whose content depends on the address, the script moves the content, so there the script
    is not held back.
    """
    assert select_complaints(walk, "shifts") == {}


def test_a_shift_would_be_seen(browser: Browser, address: str) -> None:
    """The observer reports the moved elements when an image is put above the text."""
    context = open_window(browser, 1280)
    context.add_init_script(OBSERVED)
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
