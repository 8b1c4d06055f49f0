"""Requests of a page that wait in the browser until a test releases them, and quick keys."""

import re
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browsing import PATIENCE_MS


class Held:
    """Requests that wait in the browser, in the page of a `LentWindow`."""

    def __init__(self, page: Page, pattern: str, method: str = "POST") -> None:
        """Hold all later requests whose address matches a pattern."""
        self._page, self._pattern, self._method = page, re.compile(pattern), method
        self._is_open = False
        self.routes: list[Route] = []
        page.route(self._pattern, self._hold)

    def _hold(self, route: Route) -> None:
        if route.request.method == self._method and not self._is_open:
            self.routes.append(route)
        else:
            route.continue_()

    def wait(self, count: int = 1) -> None:
        """Wait until this number of requests is held."""
        for _ in range(PATIENCE_MS // 10):
            if len(self.routes) >= count:
                return
            self._page.wait_for_timeout(10)
        pytest.fail(f"{len(self.routes)} requests of {self._pattern.pattern} in place of {count}")

    def release(self) -> None:
        """Release all held requests, and hold no more."""
        self._is_open = True
        for route in self.routes:
            route.continue_()


def press(page: Page, *keys: str) -> None:
    """Press keys, one after the other, without waiting for their effects."""
    for key in keys:
        page.keyboard.press(key)


@contextmanager
def hold_request(page: Page, pattern: str, *keys: str, method: str = "POST") -> Generator[Held]:
    """Press keys that send a request, and hold it inside the context; release it at its end."""
    requests = Held(page, pattern, method)
    press(page, *keys)
    requests.wait()
    yield requests
    requests.release()


def press_before_script(page: Page, address: str, *keys: str) -> None:
    """Open a page that has a form to judge, and press keys before its script comes."""
    script = Held(page, r"/assets/desk\.js$", "GET")
    page.goto(address, wait_until="commit")
    expect(page.locator("#judge")).to_be_attached()
    press(page, *keys)
    script.release()
