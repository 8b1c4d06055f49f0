"""A scratch repository, copied for each test."""

import shutil
from pathlib import Path

import pytest

from tests.leaderboard.changes.scratch import Scratch


@pytest.fixture(scope="session")
def made_scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository that is only copied."""
    return Scratch.make(tmp_path_factory.mktemp("scratch") / "made").root


@pytest.fixture
def scratch(made_scratch: Path, tmp_path: Path) -> Scratch:
    """Return a repository of the test's own."""
    return Scratch(shutil.copytree(made_scratch, tmp_path / "scratch"))
