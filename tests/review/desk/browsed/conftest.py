"""A desk that is shared by the tests of a module, for the time that a desk takes to start."""

from collections.abc import Generator

import pytest

from review.store import SessionStore
from tests.review.desk.browsed_desk import make_browsed_store
from tests.review.desking import serve_desk


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> SessionStore:
    """The store of the desk: each test changes other sessions, or restores their labels."""
    return make_browsed_store(tmp_path_factory.mktemp("desk") / "data")


@pytest.fixture(scope="module")
def address(store: SessionStore) -> Generator[str]:
    """The address of the desk."""
    with serve_desk(store) as address:
        yield address
