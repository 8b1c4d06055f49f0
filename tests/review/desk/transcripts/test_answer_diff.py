"""The answer beside the expected output, line by line."""

import pytest

from review.desk.transcript import MOST_LINES, compare_lines

pytestmark = pytest.mark.unit


def test_longer_texts_are_not_compared() -> None:
    """A page would take seconds for them: one line above the limit is too much."""
    texts = ["\n".join(f"{side} {line}" for line in range(MOST_LINES)) for side in ("a", "b")]
    lines = compare_lines(*texts)
    assert lines is not None
    assert {compared_line.kind for compared_line in lines} == {"changed"}
    assert compare_lines(texts[0], f"{texts[1]}\nmore") is None
    assert compare_lines(f"{texts[0]}\nmore", texts[1]) is None
