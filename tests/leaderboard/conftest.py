"""Fixtures of the tests of the command."""

from pathlib import Path

import pytest

from tests.runner.conftest import (
    Serve,
    host,
    prose_suite,
    serve,
    slow_provider,
    write_prose_suite,
)

__all__ = ["Serve", "host", "prose_suite", "serve", "slow_provider"]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three evals that grade answers of prose at once, in a folder with a blank in its name."""
    return write_prose_suite(tmp_path_factory.mktemp("the suite"), 3)
