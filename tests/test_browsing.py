"""The Chromium of a process, and the event loop that comes with it."""

import asyncio

import pytest

from tests.browsing import Chromium

pytestmark = pytest.mark.integration

_PAGE = "data:text/html,<p>drawn</p>"


def test_other_event_loops_run_between_modules_with_a_browser(chromium: Chromium) -> None:
    """The browser draws a page, ``asyncio.run`` runs, and the same browser draws the next page."""
    for _ in range(2):
        chromium.take_loop_in()
        page = chromium.browser().new_page()
        page.goto(_PAGE)
        assert page.inner_text("p") == "drawn"
        page.close()
        chromium.take_loop_out()
        assert asyncio.run(asyncio.sleep(0, "run")) == "run"


def test_a_browser_that_died_is_started_again(chromium: Chromium) -> None:
    """The tests of a later module do not fail because Chromium ended in an earlier one."""
    chromium.take_loop_in()
    died = chromium.browser()
    died.close()
    assert chromium.browser() is not died
    assert chromium.browser().is_connected()
    chromium.take_loop_out()
