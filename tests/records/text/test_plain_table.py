"""Tables in plain text, which fit the given width with any content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.text.numbers import format_table_lines

pytestmark = pytest.mark.unit


def test_columns_stand_side_by_side() -> None:
    """A column is as wide as its widest cell; no line ends in blanks."""
    lines = format_table_lines(("run", "model"), [("abc", "m"), ("d", "longer")])
    assert lines == ["run  model", "abc  m", "d    longer"]


def test_the_widest_column_is_cut() -> None:
    """A cut text ends in an ellipsis; narrow columns stay whole."""
    lines = format_table_lines(("run", "why"), [("abcdefgh", "a reason of many words")], 20)
    assert lines[1] == "abcdefgh  a reason …"


def test_ids_stay_whole() -> None:
    """Columns that are useless in part are cut last, at any width."""
    row = ("an-id-of-17-chars", "a model's name")
    assert (
        format_table_lines(("run", "model"), [row], 26, {"run"})[1] == "an-id-of-17-chars  a mode…"
    )


def test_nothing_in_a_cell_acts() -> None:
    """A cell is one visible line: it cannot begin a row of its own, nor colour the terminal."""
    lines = format_table_lines(("a",), [("x\ny",), ("\x1b[31mred",)])
    assert lines == ["a", "x y", "⟦U+001B⟧[31mred"]


@given(
    st.lists(st.lists(st.text(max_size=60), min_size=3, max_size=3), max_size=4),
    st.integers(min_value=22, max_value=200),
)
def test_lines_fit(rows: list[list[str]], width: int) -> None:
    """Three columns of six characters and their gaps always fit."""
    lines = format_table_lines(("a", "b", "c"), rows, width)
    assert len(lines) == len(rows) + 1
    assert max(map(len, lines)) <= width
