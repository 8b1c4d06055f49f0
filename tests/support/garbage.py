"""Fewer collections of garbage: modules and collected tests stay in memory until the end."""

import gc
from collections.abc import Generator
from typing import Final

import pytest

_YOUNG_OBJECTS: Final = 50_000
"""New objects before a collection; Python's own setting is 700."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage while tests are collected, and look at none of their objects later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(_YOUNG_OBJECTS)
        gc.enable()
