"""A server of the API for each test, and the folders of runners that deliver to it."""

from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from tests.leaderboard.api.conftest import client, made
from tests.leaderboard.delivery.sending import EVALS
from tests.runner.conftest import write_prose_suite

__all__ = ["client", "made"]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a suite of a few evals."""
    return write_prose_suite(tmp_path_factory.mktemp("suite"), EVALS)


@pytest.fixture
def central(tmp_path: Path) -> DataFolder:
    """Return the data folder of the server."""
    return DataFolder(tmp_path / "central")
