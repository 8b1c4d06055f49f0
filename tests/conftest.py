"""Fixtures and settings of all tests."""

from hypothesis import settings

pytest_plugins = [
    "tests.support.browsing",
    "tests.support.quick_collection",
    "tests.support.tiers",
]

# Examples are timed by load as much as by code, so other tests measure speed. The examples of a
# change are the same at every run; the examples of the night are new, and so many more.
settings.register_profile("change", deadline=None, max_examples=20, derandomize=True)
settings.register_profile("night", deadline=None, max_examples=200)
settings.load_profile("change")
