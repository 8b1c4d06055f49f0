"""The desk over sessions of every kind: each test has its own store."""

from collections.abc import Generator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page

from review.store import SessionStore
from tests.review.corpus import store_of
from tests.review.desking import client_of, of_every_kind, served_desk
from tests.site.watching import context, listening


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """The store of the desk, with sessions of every kind."""
    return store_of(tmp_path / "data", of_every_kind())


@pytest.fixture
def client(store: SessionStore) -> Generator[httpx.Client]:
    """A client of the desk, which needs no socket."""
    with client_of(store) as client:
        yield client


@pytest.fixture
def address(store: SessionStore) -> Generator[str]:
    """The address of the desk, which is served on loopback for a browser."""
    with served_desk(store) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Generator[Page]:
    """A page that must report no error; the page is closed before the desk."""
    del address
    wrong: list[str] = []
    window = context(browser, 1280, "light")
    yield listening(window, wrong)
    window.close()
    assert wrong == []
