"""Fixtures of the tests of the command."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from tests.leaderboard.commanding import AskedSuite
from tests.runner.conftest import (
    Serve,
    host,
    prose_suite,
    serve,
    slow_provider,
    write_prose_suite,
)

AskSuite = Callable[[Mapping[str, object]], AskedSuite]

__all__ = ["AskSuite", "Serve", "host", "prose_suite", "serve", "slow_provider"]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three evals that grade answers of prose at once, in a folder with a blank in its name."""
    return write_prose_suite(tmp_path_factory.mktemp("the suite"), 3)


@pytest.fixture
def ask_suite(suite: Path, serve: Serve, tmp_path: Path) -> AskSuite:
    """The maker of a provider by its script, which runs over that suite ask; data are empty."""

    def make(script: Mapping[str, object]) -> AskedSuite:
        # As a user's own folder may be named.
        return AskedSuite(suite, DataFolder(tmp_path / "my $data"), serve(script))

    return make
