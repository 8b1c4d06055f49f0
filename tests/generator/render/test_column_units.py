"""Amounts of a column: one unit and equal digits, chosen from all of them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.render.cells import (
    choose_dollars_writer,
    choose_percent_writer,
    choose_seconds_writer,
)

pytestmark = pytest.mark.unit

_AMOUNTS = st.lists(st.none() | st.floats(0, 1e5, allow_nan=False), max_size=8)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.03, 0.025], ["$0.030", "$0.025"]),
        ([0.01, 0.019, None], ["$0.010", "$0.019", "\N{EN DASH}"]),
        ([12.5, 0.5, 0.0], ["$12.50", "$0.50", "$0"]),
        ([1234.5, 0.25], ["$1,234.50", "$0.25"]),
        ([0.5, 0.00004, 0.00006], ["$0.5000", "< $0.0001", "$0.0001"]),
        ([0.0, 0.0], ["$0", "$0"]),
        ([None], ["\N{EN DASH}"]),
    ],
)
def test_dollars_have_as_many_digits_as_the_smallest_needs(
    values: list[float | None], texts: list[str]
) -> None:
    """Two digits that count, at most four after the point; no paid amount reads as 0."""
    assert list(map(choose_dollars_writer(values), values)) == texts


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([107.8, 121.0, 149.0, 71.04], ["107.8 s", "121.0 s", "149.0 s", "71.0 s"]),
        ([121.2, 149.4], ["121 s", "149 s"]),
        ([0.25, 0.0304], ["250 ms", "30 ms"]),
        ([0.25, 1.5, 0.01], ["0.3 s", "1.5 s", "< 0.1 s"]),
        ([90.0, 5400.0], ["1.5 min", "90.0 min"]),
        ([5.0, 1500.0], ["5.0 s", "1,500.0 s"]),
        ([0.0, None], ["0.0 s", "\N{EN DASH}"]),
    ],
)
def test_durations_have_one_unit(values: list[float | None], texts: list[str]) -> None:
    """Minutes need a shortest value of a minute, milliseconds a longest value below a second."""
    assert list(map(choose_seconds_writer(values), values)) == texts


def test_shares_are_whole_unless_one_would_be_all_or_none_by_rounding() -> None:
    """Then all values have one decimal, and only all is 100 and only none is 0."""
    whole, exact = [83.3, 100.0, 0.0], [83.3, 99.97, 100.0, 0.01, 0.0]
    assert list(map(choose_percent_writer(whole), whole)) == ["83", "100", "0"]
    assert list(map(choose_percent_writer(exact), exact)) == ["83.3", "99.9", "100.0", "0.1", "0.0"]


@given(_AMOUNTS)
def test_any_amounts_share_unit_and_digits(values: list[float | None]) -> None:
    """This holds for any amounts in a column; only 0 is written as 0, in dollars without digits."""
    for column in (choose_dollars_writer, choose_seconds_writer):
        texts = list(map(column(values), values))
        assert (
            len({_describe_form(text) for text in texts if text not in {"\N{EN DASH}", "$0"}}) <= 1
        )
        for value, text in zip(values, texts, strict=True):
            reads_as_nothing = not re.search("[1-9]", text) and text != "\N{EN DASH}"
            assert reads_as_nothing is (value == 0)


def _describe_form(text: str) -> str:
    """Return an amount's unit and digits after the point."""
    return re.sub(r"[\d,]+", "0", text.removeprefix("< "), count=1).replace(
        "0." + text.partition(".")[2].partition(" ")[0],
        f"0.{len(text.partition('.')[2].partition(' ')[0])}",
    )
