import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.files.json_lines import number_lines, strip_beginning

pytestmark = pytest.mark.unit


def test_blank_lines_are_counted_and_left_out() -> None:
    """The number of a line in a message is that of an editor."""
    body = strip_beginning(b' \n\t\r\n  {"a": 1}\r\n\n{"b": 2}')
    assert body.blank_lines == 2
    assert list(number_lines(body)) == [(3, b'{"a": 1}\r'), (5, b'{"b": 2}')]


@given(st.lists(st.sampled_from([b"", b" ", b"\r", b"a", b" b "]), max_size=8))
def test_numbers_are_those_of_all_lines(lines: list[bytes]) -> None:
    """Each line that is not blank comes once, in order, with its own number."""
    numbered_lines = list(number_lines(strip_beginning(b"\n".join(lines))))
    expected = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    assert [(number, line.strip()) for number, line in numbered_lines] == expected
