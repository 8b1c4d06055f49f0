"""Pages in a browser that is watched for errors and other unwanted events."""

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Route, expect

from tests.support.browsing import PATIENCE_MS

LOOKS = (
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
_NOTHING = re.compile(r"/nothing$")
_EMPTY = '<link rel="icon" href="data:,">'
"""Without an icon the browser may ask for one, and report that there is none."""
_STORED = "localStorage.clear(); sessionStorage.clear()"
_RESIZED = """([width, height]) => new Promise((done) => {
  const look = () =>
    innerWidth === width && innerHeight === height ? done() : requestAnimationFrame(look);
  look();
})"""


def open_window(
    browser: Browser,
    width: int,
    scheme: str = "light",
    **options: Any,  # noqa: ANN401 - those of Playwright
) -> BrowserContext:
    """Return a window of that width in the light or dark scheme, with further options."""
    window = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        **options,
    )
    window.set_default_timeout(PATIENCE_MS)
    return window


def paste_clipboard(page: Page) -> str:
    """Return the text that a reader pastes after a copy."""
    page.evaluate("() => document.body.append(document.createElement('textarea'))")
    field = page.locator("body > textarea")
    field.press("Control+V")
    expect(field).not_to_have_value("")
    text = field.input_value()
    field.evaluate("field => field.remove()")
    return text


def resize_window(page: Page, width: int, height: int = 900) -> None:
    """Give a page's window a size, and wait until the page has it.

    The browser answers before the page is laid out anew.
    """
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(_RESIZED, [width, height])


def open_watched_page(within: BrowserContext, wrong: list[str]) -> Page:
    """Return a page whose complaints, dialogs and broken policies go into ``wrong``."""
    page = within.new_page()
    _listen(page, wrong)
    return page


def _listen(page: Page, wrong: list[str]) -> dict[Any, Callable[[Any], None]]:
    """Put a page's complaints into ``wrong``; return the listeners by their events."""
    listeners: dict[Any, Callable[[Any], None]] = {
        "console": lambda message: wrong.append(f"{page.url}: {message.text}"),
        "pageerror": lambda error: wrong.append(f"{page.url}: {error}"),
        "dialog": lambda dialog: wrong.append(f"{page.url}: {dialog.message}"),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    return listeners


class LentWindow:
    """A window with one page that tests use in turn: a new page costs half a second.

    The browser asks the test about each request from the start, even if no test holds requests.
    Otherwise a route that is added to a loaded page misses requests for a moment, because the page
    hears of it later than the test.
    """

    def __init__(self, browser: Browser) -> None:
        """Prepare a window, which is opened for the first test."""
        self._browser = browser
        self._window: BrowserContext | None = None

    @contextmanager
    def lend_page(self) -> Generator[Page]:
        """Lend an empty page of 1280 pixels in the light scheme, which must report no error.

        A test may not leave scripts in the window that run in later pages.
        """
        if self._window is None:
            self._window = open_window(self._browser, 1280)
            self._window.route(_NOTHING, _answer_with_nothing)
            self._window.new_page()
        page = self._window.pages[0]
        resize_window(page, 1280)
        wrong: list[str] = []
        listeners = _listen(page, wrong)
        yield page
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        if wrong or not _empty_page(page):
            self._window.close()
            self._window = None
        assert wrong == [], wrong


@contextmanager
def disable_scripts(page: Page) -> Generator[None]:
    """Run no script of the pages that are opened inside the context."""
    session: Any = page.context.new_cdp_session(page)
    session.send("Emulation.setScriptExecutionDisabled", {"value": True})
    yield
    session.send("Emulation.setScriptExecutionDisabled", {"value": False})
    session.detach()


def _answer_with_nothing(route: Route) -> None:
    route.fulfill(content_type="text/html", body=_EMPTY)


def _empty_page(page: Page) -> bool:
    """Empty a page and its stores for the next test; return whether that worked."""
    try:
        page.unroute_all(behavior="ignoreErrors")
        if page.url.startswith("http"):
            # An empty page of the same address: "about:blank" would be a new process.
            page.goto(urljoin(page.url, "/nothing"))
            page.evaluate(_STORED)
        page.emulate_media(color_scheme="light", media="null")
        page.context.clear_cookies()
        page.context.clear_permissions()
        for other in page.context.pages[1:]:
            other.close()
    except Error:
        return False
    return True
