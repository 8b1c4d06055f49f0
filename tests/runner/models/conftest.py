"""Warnings of litellm, which tests of this folder let pass."""

from pathlib import Path

import pytest

LITELLM_WARNS = (
    "ignore::DeprecationWarning:litellm",
    "ignore:Items? .* on TypedDict class:UserWarning",
)
"""Warnings about litellm's own code: deprecated parts of pydantic, and types completed late."""

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let litellm's own warnings pass, in the tests of this folder only."""
    for item in items:
        if item.path.is_relative_to(HERE):
            for warning in LITELLM_WARNS:
                item.add_marker(pytest.mark.filterwarnings(warning))
