"""What all tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

# Examples are timed by the machine's load as much as by the code: speed is measured elsewhere. The
# examples of a change are the same at every run; those of the night are new, and so many more.
settings.register_profile("change", deadline=None, max_examples=20, derandomize=True)
settings.register_profile("night", deadline=None, max_examples=500)
settings.load_profile("change")

_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the system's Chromium for the tests of a module.

    While it runs, its event loop is the thread's: a browser that lived longer than its module would
    make every later ``asyncio.run`` of the process fail, and a second browser, too.
    """
    if not Path("/usr/bin/chromium").exists():
        pytest.skip("needs Chromium: scripts/system-packages chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=_ARGUMENTS)
        yield browser
        browser.close()
