"""The site in a real browser: pictures of every page kind, and checks that need a browser."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.site.example_site import BuiltSite, kinds
from tests.site.watching import LOOKS, context, listening

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_page_kind_fits_its_window(
    browser: Browser, site: BuiltSite, address: str, width: int, scheme: str
) -> None:
    """No page is wider than its window, and none reports an error.

    Set SCREENSHOTS to a folder to look at pictures of them afterwards.
    """
    pictures = os.environ.get("SCREENSHOTS")
    wrong: list[str] = []
    window = context(browser, width, scheme)
    page = listening(window, wrong)
    for name, path in kinds(site).items():
        page.goto(address + path)
        beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if beyond > 0:
            wrong.append(f"{name} at {width}: {beyond} px too wide")
        if pictures:
            page.screenshot(path=Path(pictures) / f"{name}-{width}-{scheme}.png")
    window.close()
    assert wrong == []
