"""Pages in a browser that is watched for errors and other unwanted events."""

from typing import Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browsing import PATIENCE_MS

LOOKS: Final = (
    (390, "light"),
    (1280, "dark"),
    *(
        pytest.param(width, scheme, marks=pytest.mark.night)
        for width in (390, 768, 1280, 1920)
        for scheme in ("light", "dark")
        if (width, scheme) not in {(390, "light"), (1280, "dark")}
    ),
)
"""Widths and schemes that pages are looked at in: a phone's and a desk's, at night all."""


def context(browser: Browser, width: int, scheme: str) -> BrowserContext:
    """Return a window of that width in the light or dark scheme."""
    window = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    window.set_default_timeout(PATIENCE_MS)
    return window


def listening(within: BrowserContext, wrong: list[str]) -> Page:
    """Return a page whose complaints, dialogs and broken policies go into ``wrong``."""
    page = within.new_page()
    page.on("console", lambda message: wrong.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    page.on("dialog", lambda dialog: wrong.append(f"{page.url}: {dialog.message}"))
    return page
