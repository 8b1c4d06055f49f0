"""Amounts, counts, tables and days, as texts for readers."""

from datetime import date
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.text.numbers import format_count, format_dollars, format_table_lines
from records.text.run_days import describe_dated_run, describe_day, describe_when

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0.0, "$0"),
        (0.00005, "$0.00005"),
        (0.0123, "$0.012"),
        (0.0994, "$0.099"),
        (0.0999, "$0.10"),
        (0.25, "$0.25"),
        (3.14159, "$3.14"),
        (1234.5, "$1234.50"),
    ],
)
def test_small_amounts_keep_two_digits_that_count(amount: float, text: str) -> None:
    """Pages, terminals and messages write the same amount alike, and none as rounded to nothing."""
    assert format_dollars(amount) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 copies"), (1, "1 copy"), (2, "2 copies")],
)
def test_a_noun_has_the_form_of_its_number(number: int, text: str) -> None:
    """One thing is named in the singular, and nothing or several in the given plural."""
    assert format_count(number, "copy", "copies") == text


def test_a_plural_ends_in_s_by_default() -> None:
    """Most nouns need no plural from the caller."""
    assert format_count(2, "session") == "2 sessions"


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


class Dated(NamedTuple):
    """A run of a day."""

    date: date
    day_of_import: bool


def test_the_day_of_an_import_is_no_day_of_a_run() -> None:
    """Nobody may read that a model was asked on the day of the import."""
    run_day, import_day = (
        Dated(date(2026, 11, 27), is_of_import) for is_of_import in (False, True)
    )

    assert describe_day(run_day) == "2026-11-27"
    assert describe_dated_run(run_day) == "run of 2026-11-27"
    assert describe_when(run_day) == "on 2026-11-27"
    assert describe_day(import_day) == "imported 2026-11-27"
    assert describe_dated_run(import_day) == "run imported 2026-11-27"
    assert describe_when(import_day) == "in a run imported 2026-11-27"
