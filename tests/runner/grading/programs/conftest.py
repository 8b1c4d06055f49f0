"""A suite and a service for the tests of graders that are programs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.evals.discovery import discover
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import GradingService
from tests.runner.command_suite import write_command_suite


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GradingService]:
    """A service for all suites of a module: their settings are the same."""
    suite = write_command_suite(tmp_path_factory.mktemp("suite"))
    with GradingService(discover(suite), GradingSettings()) as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A suite of one eval, graded by pytest."""
    return write_command_suite(tmp_path / "evals")
