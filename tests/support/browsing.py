"""One Chromium for all tests of a process, whose event loop is in the thread for their time only.

Tests that use it have the marker `browser`, and are repeated once if they fail.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Playwright

CHROMIUM_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
)
"""Programs on PATH that the browser tests can drive, as in scripts/system-packages: first the one
without the parts for a screen, which takes a quarter less processor time."""
PATIENCE_MS = 120_000
"""Milliseconds for which a test waits for a page on a busy machine."""
_FIXTURES = frozenset({"browser", "walk"})
"""Fixtures that all browser tests use, themselves or by other fixtures; a walk may be at hand."""
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker of browser tests."""
    config.addinivalue_line("markers", "browser: a test that uses Chromium; no test names it")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a test that uses Chromium, so that `-m browser` selects it; repeat it if it fails.

    The marker of repetitions would win over `--reruns 0`, and is left out then.
    """
    if not _FIXTURES.isdisjoint(getattr(item, "fixturenames", ())):
        item.add_marker("browser")
        if item.config.getoption("reruns", None) != 0:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Bring Playwright's event loop into the thread before a browser test, and out before others.

    The loop counts as running from Playwright's first call to its last. With it in the thread, each
    ``asyncio.run`` of a test fails that follows a browser test.
    """
    if (chromium := item.config.stash.get(_CHROMIUM, None)) is not None:
        chromium.move_loop(inside=item.get_closest_marker("browser") is not None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Bring the loop back for the fixtures that end with a module."""
    chromium = item.config.stash.get(_CHROMIUM, None)
    if chromium is not None and (nextitem is None or nextitem.path != item.path):
        chromium.move_loop(inside=True)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Name the repeated tests below all other output, and in the summary of a step on GitHub."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not reporter.stats.get("rerun"):
        return
    repeated: list[str] = [report.nodeid for report in reporter.stats["rerun"]]
    lines = "".join(f"- {name}\n" for name in sorted(repeated))
    text = f"Repeated, because they failed at first; mend or delete these tests:\n{lines}"
    reporter.write(text)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(text)


def find_chromium() -> str | None:
    """Return the path of the system's Chromium or Chrome; None where none is on PATH."""
    paths = (shutil.which(name) for name in CHROMIUM_NAMES)
    return next((path for path in paths if path), None)


class Chromium:
    """The system's Chromium, which is started when a test needs it and again if it has died."""

    def __init__(self, playwright: Playwright) -> None:
        self._playwright = playwright
        self._loop = asyncio.get_running_loop()
        self._browser: Browser | None = None

    def move_loop(self, *, inside: bool) -> None:
        """Make Playwright's event loop the running loop of this thread, or leave it without one."""
        loop = self._loop if inside else None
        asyncio._set_running_loop(loop)  # noqa: SLF001 - for programs that drive a loop

    def get_browser(self) -> Browser:
        """Return a browser that runs."""
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._playwright.chromium.launch(
                executable_path=find_chromium(), args=_ARGUMENTS
            )
        return self._browser

    def close(self) -> None:
        """End the browser."""
        if self._browser is not None:
            self._browser.close()


_CHROMIUM = pytest.StashKey[Chromium]()


@pytest.fixture(scope="session")
def chromium(pytestconfig: pytest.Config) -> Iterator[Chromium]:
    """Start Playwright once for a process; its Chromium ends with the last test."""
    from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415 - not in the fast tier

    if find_chromium() is None:
        # A runner without a browser would pass all its browser tests unseen.
        lack = pytest.fail if os.environ.get("CI") else pytest.skip
        lack("needs Chromium: scripts/system-packages chromium")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        chromium = pytestconfig.stash[_CHROMIUM] = Chromium(playwright)
        yield chromium
        chromium.move_loop(inside=True)
        chromium.close()


@pytest.fixture(scope="module")
def browser(chromium: Chromium) -> Iterator[Browser]:
    """Lend Chromium to the tests of a module, and close the windows that they leave open."""
    browser = chromium.get_browser()
    yield browser
    for window in browser.contexts:
        window.close()
