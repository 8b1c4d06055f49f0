"""Fixtures of the tests of the command."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.runner.conftest import SlowProvider

Serve = Callable[[Mapping[str, object]], SlowProvider]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start providers by script, and end them with the test."""
    started: list[SlowProvider] = []

    def start(script: Mapping[str, object]) -> SlowProvider:
        started.append(SlowProvider(tmp_path, script))
        return started[-1]

    yield start
    for provider in started:
        provider.end()
