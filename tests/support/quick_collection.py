"""Quicker collection of tests: one worker compiles for all, and no garbage is collected."""

import fcntl
import gc
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

_TESTS = Path(__file__).parents[1]
_YOUNG_OBJECTS = 50_000
"""New objects before a collection of garbage; Python's own setting is 700."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without looking for garbage, and exempt their objects from later looks."""
    gc.disable()
    try:
        with _wait_for_compiled_tests():
            return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(_YOUNG_OBJECTS)
        gc.enable()


@contextmanager
def _wait_for_compiled_tests() -> Generator[None]:
    """In a new clone, let one worker collect first: the others read the modules it compiled."""
    with Path(__file__).open(encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(lock, fcntl.LOCK_SH)
        else:
            if any(_TESTS.glob("*/__pycache__/test_*.pyc")):
                fcntl.flock(lock, fcntl.LOCK_UN)
        yield
