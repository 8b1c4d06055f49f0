"""The look of pages of the desk: windows of a size, faults that axe reports, and pictures."""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from axe_playwright_python.base import (  # pyright: ignore[reportMissingTypeStubs]
    AXE_SCRIPT,
)
from playwright.sync_api import Browser, Page

LOOKS: Final = [
    (390, 1, "light"),
    (1280, 1, "dark"),
    *(
        pytest.param(width, zoom, scheme, marks=pytest.mark.night)
        for width, zoom, scheme in (
            (390, 1, "dark"),
            (640, 2, "light"),
            (640, 2, "dark"),
            (1280, 1, "light"),
        )
    ),
]
"""Width of the window in CSS pixels, magnification and scheme: a phone, a desk, and 200%."""
PICTURES: Final = "SCREENSHOTS"
"""Name of the variable with the folder for pictures of pages; without it no picture is taken."""


@contextmanager
def looked_at(browser: Browser, width: int, zoom: int, scheme: str) -> Generator[Page]:
    """Open a page in a window of this width in CSS pixels, with this zoom and colour scheme."""
    window = browser.new_context(
        viewport={"width": width, "height": 900},
        device_scale_factor=zoom,
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,  # axe is injected by the test
    )
    window.add_init_script(AXE_SCRIPT)
    yield window.new_page()
    window.close()


def faults_of(page: Page, name: str, *, width: int, scheme: str) -> list[str]:
    """Return the faults that axe finds, and the pixels by which a page is too wide."""
    if folder := os.environ.get(PICTURES):
        page.screenshot(path=Path(folder) / f"desk-{name}-{width}-{scheme}.png", full_page=True)
    beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    faults = [f"{name}: {beyond} px too wide"] if beyond > 0 else []
    # The whole result is many times as long, and takes longer to read than axe to run.
    violations = page.evaluate(
        "axe.run({resultTypes: ['violations']}).then(result => JSON.stringify(result.violations))"
    )
    for violation in json.loads(violations):
        node = violation["nodes"][0]
        faults.append(f"{name}: {violation['id']} {node['target']} {node['failureSummary']}")
    return faults
