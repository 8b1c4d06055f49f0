"""The site in a real browser: screenshots of every page kind, and what only a browser can tell."""

import os
from pathlib import Path

from playwright.sync_api import Browser

from tests.site.example_site import BuiltSite, kinds
from tests.site.watching import context, listening

WIDTHS = (390, 768, 1280, 1920)
SCHEMES = ("light", "dark")


def test_every_page_kind_fits_every_width_in_both_schemes(
    browser: Browser, site: BuiltSite, address: str, tmp_path: Path
) -> None:
    """No page is wider than its window, none complains, and each can be looked at afterwards.

    Set SCREENSHOTS to a folder to keep the pictures.
    """
    folder = Path(os.environ.get("SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    for width in WIDTHS:
        for scheme in SCHEMES:
            window = context(browser, width, scheme)
            page = listening(window, wrong)
            for name, path in kinds(site).items():
                page.goto(address + path)
                beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                if beyond > 0:
                    wrong.append(f"{name} at {width}: {beyond} px too wide")
                page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
            window.close()
    assert wrong == []
