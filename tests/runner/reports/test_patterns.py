"""What failures of a run are said to have in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.reports.patterns import LONGEST_SHAPE, shape

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "convex/a.ts(3,14): error TS2345: Argument of type 'string' is not assignable",
            "convex/lib/b.ts(120,1): error TS2345: Argument of type 'Id<\"x\">' is not assignable",
        ),
        ("grader.py:41: assert [1, 2] == [2, 1]", "grader.py:7: assert [{'a': 3}] == []"),
        ("expected 2, got 0\nat line 3", "expected 14, got 1.5"),
    ],
)
def test_messages_with_one_cause_have_one_shape(one: str, other: str) -> None:
    """Places, numbers, quoted texts and values differ from case to case, and are left out."""
    assert shape(one) == shape(other)


def test_messages_with_two_causes_differ() -> None:
    """A code of the compiler's is no number."""
    assert shape("a.ts(1,1): error TS2345: no") != shape("a.ts(1,1): error TS2322: no")


@given(st.text())
def test_a_shape_is_one_short_line(message: str) -> None:
    """Whatever a grader said."""
    found = shape(message)
    assert len(found) <= LONGEST_SHAPE
    assert len(found.splitlines()) <= 1
