"""A server of the API for each test, a client of it, and the folders of runners."""

from collections.abc import Generator, Iterator
from pathlib import Path

import httpx
import pytest

from records.folder import DataFolder
from tests.leaderboard.api.sending import EVALS
from tests.leaderboard.api.serving import Server, served, server
from tests.runner.conftest import SlowProvider, write_prose_suite


@pytest.fixture
def made(tmp_path: Path) -> Server:
    """Return a data folder that knows a version, and keys."""
    return server(tmp_path)


@pytest.fixture
def client(made: Server) -> Generator[httpx.Client]:
    """Serve the data folder; yield a client with the development key."""
    with served(made) as connection:
        yield connection


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a suite of a few evals."""
    root = tmp_path_factory.mktemp("suite")
    write_prose_suite(root, EVALS)
    return root


@pytest.fixture
def central(tmp_path: Path) -> DataFolder:
    """Return the data folder of the server."""
    return DataFolder(tmp_path / "central")


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[SlowProvider]:
    """Serve a model that answers slowly enough to be interrupted."""
    started = SlowProvider(tmp_path)
    yield started
    started.end()
