"""The desk over sessions of every kind: each test has its own store."""

from collections.abc import Generator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page

from review.store import SessionStore
from tests.review.corpus import store_of
from tests.review.desking import make_desk_client, make_every_kind, serve_desk
from tests.site.watching import LentWindow


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """The store of the desk, with sessions of every kind."""
    return store_of(tmp_path / "data", make_every_kind())


@pytest.fixture
def client(store: SessionStore) -> Generator[httpx.Client]:
    """A client of the desk, which needs no socket."""
    with make_desk_client(store) as client:
        yield client


@pytest.fixture
def address(store: SessionStore) -> Generator[str]:
    """The address of the desk, which is served on loopback for a browser."""
    with serve_desk(store) as address:
        yield address


@pytest.fixture(scope="module")
def lent_window(browser: Browser) -> LentWindow:
    """The window whose page the tests of a module use in turn."""
    return LentWindow(browser)


@pytest.fixture
def page(lent_window: LentWindow, address: str) -> Generator[Page]:
    """An empty page that must report no error; the desk ends after it."""
    del address
    with lent_window.lend_page() as page:
        yield page
