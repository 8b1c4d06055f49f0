"""Coverage of Python by test."""

import pytest

from tests.power.python_coverage import name_tests

pytestmark = pytest.mark.unit


def test_a_context_is_a_test_with_or_without_a_phase() -> None:
    """A subprocess adds the phase of its test; a parameter may look like a phase, or hold a bar."""
    contexts = ["", "a.py::test_b", "a.py::test_b (setup)", "a.py::test_c[x (y] | z] (call)"]
    assert name_tests(contexts) == {"a.py::test_b", "a.py::test_c[x (y] | z]"}
