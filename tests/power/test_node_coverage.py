"""Coverage of the Node programs: source maps, branches, and the tests that take them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.power.node_coverage import Branch, NodeCoverage, decode_vlq, list_branches

pytestmark = pytest.mark.unit

SOURCE = b"""\
export const pick = (value) => {
  if (value) return 1;
  else return value ?? 2;
};
"""


def encode_vlq(number: int) -> str:
    """Encode a number as ECMA-426 describes: sign in the lowest bit, five bits a digit."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    remaining = abs(number) << 1 | (number < 0)
    text = ""
    while True:
        remaining, low = divmod(remaining, 32)
        text += digits[low | (32 if remaining else 0)]
        if not remaining:
            return text


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1))
def test_numbers_of_source_maps_are_read_back(numbers: list[int]) -> None:
    """Every sequence of numbers comes back as it was encoded."""
    assert decode_vlq("".join(map(encode_vlq, numbers))) == numbers


def test_branches_are_bodies_and_arms() -> None:
    """A function, both arms of a condition and the right side of an operator are branches."""
    branches = [(branch.line, branch.column) for _, branch in list_branches("a.mjs", SOURCE)]
    assert sorted(branches) == [(2, 2), (2, 13), (3, 7), (3, 23)]


def test_a_line_has_the_tests_of_the_smallest_branch_around_it() -> None:
    """A line outside of all branches runs at start, so every test of the module runs it."""
    outer, inner = Branch("a.mjs", 2, 0, 9), Branch("a.mjs", 4, 0, 5)
    coverage = NodeCoverage({outer: frozenset("pq"), inner: frozenset("q")})
    assert coverage.find_tests("a.mjs", 3) == {"p", "q"}
    assert coverage.find_tests("a.mjs", 5) == {"q"}
    assert coverage.find_tests("a.mjs", 1) == {"p", "q"}
    assert coverage.find_tests("b.mjs", 1) == frozenset()
