"""The site of a seeded corpus beside the published records, built once and served."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.sharing import make_once
from tests.site.example_site import BuiltSite, build_site, build_small_site, built_site
from tests.site.serving import served
from tests.site.watching import LentWindow


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """A page of every kind: published records and the corpus, with the answers of a few runs."""
    return built_site(make_once(tmp_path_factory, "example-site", build_small_site))


@pytest.fixture(scope="session")
def whole_site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """The same site with all published answers."""
    return built_site(make_once(tmp_path_factory, "whole-example-site", build_site))


@pytest.fixture(scope="session")
def address(site: BuiltSite) -> Iterator[str]:
    """Serve the site on this machine; the address ends in a slash."""
    with served(site.folder) as address:
        yield address


@pytest.fixture(scope="module")
def lent_window(browser: Browser) -> LentWindow:
    """The window whose page the tests of a module use in turn."""
    return LentWindow(browser)


@pytest.fixture
def page(lent_window: LentWindow) -> Iterator[Page]:
    """An empty page that must report no error."""
    with lent_window.page() as page:
        yield page
