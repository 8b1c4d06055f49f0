"""The site of a seeded corpus beside the published records, built once and served."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.site.example_site import BuiltSite, build_site
from tests.site.serving import served


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """Build the published records together with the seeded corpus."""
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def address(site: BuiltSite) -> Iterator[str]:
    """Serve the site on this machine; the address ends in a slash."""
    with served(site.folder) as address:
        yield address


_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the system's Chromium."""
    if not Path("/usr/bin/chromium").exists():
        pytest.skip("needs Chromium: scripts/system-packages chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=_ARGUMENTS)
        yield browser
        browser.close()
