"""A server of the API for each test, and the folders of runners that deliver to it."""

from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from leaderboard.delivery.client import KEY_VARIABLE
from records.files.data_folder import DataFolder
from records.writer import write_record
from tests.leaderboard.api.serving import Server, make_server, serve_api
from tests.leaderboard.delivery.sending import EVALS
from tests.records import examples
from tests.runner.conftest import write_prose_suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a suite of a few evals."""
    return write_prose_suite(tmp_path_factory.mktemp("suite"), EVALS)


@pytest.fixture
def central(tmp_path: Path) -> DataFolder:
    """Return the data folder of a server, which need not exist yet."""
    return DataFolder(tmp_path / "central")


@pytest.fixture
def server(central: DataFolder) -> Server:
    """Return the data folder with a version of the suite and two keys."""
    return make_server(central.root, EVALS)


@pytest.fixture
def client(server: Server, monkeypatch: pytest.MonkeyPatch) -> Generator[httpx.Client]:
    """Serve the data folder; yield a client. The runner's key is in the environment."""
    monkeypatch.setenv(KEY_VARIABLE, server.development)
    with serve_api(server) as connection:
        yield connection


@pytest.fixture
def mine(tmp_path: Path) -> DataFolder:
    """Return a runner's data folder."""
    data = DataFolder(tmp_path / "mine")
    write_record(data.local.benchmarks, examples.make_benchmark(EVALS))
    return data
