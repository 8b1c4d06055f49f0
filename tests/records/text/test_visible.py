"""Text from outside in a page and on a terminal: names, sentences, and control characters."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.text.escaping import render_breakable, with_code
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


def test_direction_marks_and_control_characters_are_named() -> None:
    """Text cannot hide or turn around its visible letters."""
    shown = make_visible("a\u202eb\x00\x1b\tc\r\nd\u200b")
    assert shown == "a⟦U+202E⟧b⟦U+0000⟧⟦U+001B⟧\tc\nd⟦U+200B⟧"


def test_a_name_may_break_behind_its_strokes_and_nowhere_hides_markup() -> None:
    """Breaks follow only strokes inside the name; markup in it is text."""
    assert render_breakable("a_b/c-d_") == "a_<wbr>b/<wbr>c-d_"
    assert render_breakable("<b>_x") == "&lt;b&gt;_<wbr>x"


def test_words_between_backticks_stand_as_code() -> None:
    """Both are escaped; a backtick without a partner stays."""
    assert with_code("At most `limit` <b>.") == "At most <code>limit</code> &lt;b&gt;."
    assert with_code("`<i>` and ` alone") == "<code>&lt;i&gt;</code> and ` alone"
