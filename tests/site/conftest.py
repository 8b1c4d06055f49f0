"""The site of a seeded corpus beside the published records, built once and served."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.site.example_site import BuiltSite, build_site, build_small_site, read_built_site
from tests.site.serving import serve_folder
from tests.site.walks.walk import Look, Walk, name_look, walk_over
from tests.site.watching import LentWindow
from tests.support.sharing import make_once


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """A page of every kind: published records and the corpus, with the answers of a few runs."""
    return read_built_site(make_once(tmp_path_factory, "example-site", build_small_site))


@pytest.fixture(scope="session")
def whole_site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """The same site with all published answers."""
    return read_built_site(make_once(tmp_path_factory, "whole-example-site", build_site))


@pytest.fixture(scope="session")
def address(site: BuiltSite) -> Iterator[str]:
    """Serve the site on this machine; the address ends in a slash."""
    with serve_folder(site.folder) as address:
        yield address


@pytest.fixture(scope="module")
def walk(
    request: pytest.FixtureRequest, site: BuiltSite, tmp_path_factory: pytest.TempPathFactory
) -> Walk:
    """The measured page kinds in the window that the parameter describes, for all workers."""
    look: Look = request.param

    def measure(folder: Path) -> None:
        browser: Browser = request.getfixturevalue("browser")
        walked = walk_over(browser, site, request.getfixturevalue("address"), look)
        (folder / "walk.json").write_text(json.dumps(walked))

    name = f"walk-{name_look(look)}"
    folder = make_once(tmp_path_factory, name, measure)
    walked: Walk = json.loads((folder / "walk.json").read_bytes())
    return walked


@pytest.fixture(scope="module")
def lent_window(browser: Browser) -> LentWindow:
    """The window whose page the tests of a module use in turn."""
    return LentWindow(browser)


@pytest.fixture
def page(lent_window: LentWindow) -> Iterator[Page]:
    """An empty page that must report no error."""
    with lent_window.lend_page() as page:
        yield page
