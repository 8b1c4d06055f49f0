"""A server of the API for each test, a client of it, and the folders of runners."""

from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from tests.leaderboard.api.serving import Server, make_server, serve_api


@pytest.fixture
def made(tmp_path: Path) -> Server:
    """Return a data folder that knows a version, and keys."""
    return make_server(tmp_path)


@pytest.fixture
def client(made: Server) -> Generator[httpx.Client]:
    """Serve the data folder; yield a client with the development key."""
    with serve_api(made) as connection:
        yield connection
