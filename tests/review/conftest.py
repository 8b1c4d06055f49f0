"""The desk over sessions of every kind, for the tests of a module."""

from collections.abc import Generator
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page

from review.store import SessionStore
from tests.review.desking import desk, of_every_kind
from tests.site.watching import context, listening


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[str, SessionStore]]:
    """A desk over sessions of every kind."""
    with desk(tmp_path_factory.mktemp("desk"), of_every_kind()) as found:
        yield found


@pytest.fixture
def client(place: tuple[str, SessionStore]) -> Generator[httpx.Client]:
    """A client as a browser is one: its forms say that they come from the desk."""
    address, _ = place
    parts = urlsplit(address)
    headers = {"Origin": f"{parts.scheme}://{parts.netloc}", "Sec-Fetch-Site": "same-origin"}
    with httpx.Client(base_url=address, headers=headers, timeout=60) as client:
        yield client


@pytest.fixture
def store(place: tuple[str, SessionStore]) -> SessionStore:
    """Its store."""
    return place[1]


@pytest.fixture
def page(browser: Browser) -> Generator[Page]:
    """A page that complains of nothing."""
    wrong: list[str] = []
    window = context(browser, 1280, "light")
    yield listening(window, wrong)
    window.close()
    assert wrong == []
