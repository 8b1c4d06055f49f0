"""Text from outside on a terminal: control characters have no effect, a line stays a line."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.text.visible import make_one_line, make_visible

pytestmark = pytest.mark.unit


@given(st.text())
def test_nothing_that_is_obeyed_is_left(text: str) -> None:
    """No control character but tab and newline is left, nor a mark that turns the reading order."""
    characters = set(make_visible(text)) - {"\t", "\n"}
    assert not [sign for sign in characters if unicodedata.category(sign) == "Cc"]
    assert not characters & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f"
    )


@given(st.text())
def test_one_line_is_one_line_for_everybody(text: str) -> None:
    """All characters that split lines in Python or on a terminal are removed."""
    assert len(make_one_line(text).splitlines()) <= 1


@given(st.text(), st.integers(1, 40))
def test_a_line_is_cut_where_asked(text: str, longest: int) -> None:
    """A cut line ends with an ellipsis and is no longer than asked for."""
    whole, cut = make_one_line(text), make_one_line(text, longest)
    assert cut == whole or (len(cut) == longest and cut.endswith("…"))


def test_hidden_columns_are_named() -> None:
    """An escape is shown by its code point."""
    assert make_visible("a\x1b[2Jb\u202e") == "a⟦U+001B⟧[2Jb⟦U+202E⟧"


def test_direction_marks_and_control_characters_are_named() -> None:
    """Text cannot hide or turn around its visible letters."""
    assert make_visible("a\u202eb\x00\tc\r\nd\u200b") == "a⟦U+202E⟧b⟦U+0000⟧\tc\nd⟦U+200B⟧"
