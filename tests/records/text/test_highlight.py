"""Code as HTML, coloured by syntax."""

import pytest

from records.text.highlight import highlighted_lines

pytestmark = pytest.mark.unit


def test_texts_of_a_suite_are_coloured_once_though_they_come_in_turns() -> None:
    """A suite has 600 texts in turn; a smaller cache would never have the next text."""
    texts = [f"export const value = {number};" for number in range(1000)]
    first, second = ([highlighted_lines("convex/a.ts", text) for text in texts] for _ in range(2))
    assert all(earlier is later for earlier, later in zip(first, second, strict=True))
