"""The look of pages of the desk: windows of a size, faults that axe reports, and pictures."""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from axe_playwright_python.base import (  # pyright: ignore[reportMissingTypeStubs]
    AXE_SCRIPT,
)
from playwright.sync_api import Browser, Page

from tests.site.watching import open_window


class Look(NamedTuple):
    """A window, and the pages in it that axe examines."""

    width: int
    """Pixels of CSS."""
    zoom: int
    scheme: str
    examined: slice = slice(None)
    """Of the pages in the order of the test; every page must fit its window."""


LOOKS = [
    *(
        pytest.param(look, marks=pytest.mark.more)
        for look in (
            Look(390, 1, "light", slice(0, None, 2)),
            Look(1280, 1, "dark", slice(1, None, 2)),
        )
    ),
    *(
        pytest.param(Look(*look), marks=pytest.mark.night)
        for look in (
            (390, 1, "light"),
            (390, 1, "dark"),
            (640, 2, "light"),
            (640, 2, "dark"),
            (1280, 1, "light"),
            (1280, 1, "dark"),
        )
    ),
]
"""A phone, a desk, and 200%: `make test-more` examines a page once, the night in every look."""


def name_look(look: Look) -> str:
    """Return the name of a look in the names of tests."""
    every = look.examined == slice(None)
    return f"{look.width}-{look.zoom}-{look.scheme}{'-all' * every}"


PICTURES = "SCREENSHOTS"
"""Name of the variable with the folder for pictures of pages; without it no picture is taken."""


class LookedAt:
    """A page that a test takes from address to address, and the faults that it had there."""

    def __init__(self, page: Page, look: Look) -> None:
        """Begin without faults."""
        self.page = page
        self.faults: list[str] = []
        self._look = look
        self._names: list[str] = []

    def examine(self, name: str) -> None:
        """Note by how many pixels the page is too wide, and the faults that axe finds."""
        page, look = self.page, self._look
        if folder := os.environ.get(PICTURES):
            picture = Path(folder) / f"desk-{name}-{look.width}-{look.scheme}.png"
            page.screenshot(path=picture, full_page=True)
        beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if beyond > 0:
            self.faults.append(f"{name}: {beyond} px too wide")
        self._names.append(name)
        if name in self._names[look.examined]:
            self.faults += _find_violations(page, name)


@contextmanager
def open_look(browser: Browser, look: Look) -> Generator[LookedAt]:
    """Open a page in a window; it must have no fault in the end."""
    window = open_window(
        browser,
        look.width,
        look.scheme,
        device_scale_factor=look.zoom,
        bypass_csp=True,  # axe is injected by the test
    )
    looked = LookedAt(window.new_page(), look)
    yield looked
    window.close()
    assert looked.faults == []


def _find_violations(page: Page, name: str) -> list[str]:
    """Return the faults that axe finds."""
    page.evaluate(AXE_SCRIPT)
    # The whole result is many times as long, and takes longer to read than axe to run.
    violations = page.evaluate(
        "axe.run({resultTypes: ['violations']}).then(result => JSON.stringify(result.violations))"
    )
    faults: list[str] = []
    for violation in json.loads(violations):
        node = violation["nodes"][0]
        faults.append(f"{name}: {violation['id']} {node['target']} {node['failureSummary']}")
    return faults
