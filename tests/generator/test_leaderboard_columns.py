"""Optional columns of the main table: shown where they say something, else named as not known."""

import pytest

from generator.site.leaderboard_columns import (
    COLUMNS,
    AmountCell,
    shown_columns,
    unknown_columns,
)

pytestmark = pytest.mark.unit

AMOUNTS = [column.key for column in COLUMNS if column.missed is not None]
COUNTS = [column.key for column in COLUMNS if column.missed is None]


def row(**known: float) -> dict[str, AmountCell]:
    """A row in which only these columns have a value."""
    return {
        column.key: AmountCell(known.get(column.key), str(known.get(column.key)), None)
        for column in COLUMNS
    }


def shown(*rows: dict[str, AmountCell]) -> list[str]:
    """The keys of the columns that a table of these rows has."""
    return [column.key for column in shown_columns(rows)]


def test_an_amount_is_shown_where_one_row_knows_it_even_if_it_is_nothing() -> None:
    """0 dollars are known; the others are named as known for no row."""
    rows = row(cost=0.0), row()
    assert shown(*rows) == ["cost"]
    missed = [column.missed for column in COLUMNS if column.key in AMOUNTS and column.key != "cost"]
    assert unknown_columns(rows) == missed


def test_a_count_is_shown_where_it_is_not_0_and_is_never_named_as_unknown() -> None:
    """A column of zeros says nothing that its absence does not."""
    nothing = dict.fromkeys(COUNTS, 0.0)
    assert shown(row(**nothing), row()) == []
    assert shown(row(**nothing | {"retried": 2.0}), row()) == ["retried"]
    assert len(unknown_columns([row(**nothing)])) == len(AMOUNTS)


def test_columns_stand_in_one_order_and_have_keys_of_their_own() -> None:
    """Whatever rows know: addresses name columns by their keys."""
    every = row(**dict.fromkeys((column.key for column in COLUMNS), 1.0))
    assert shown(every) == [column.key for column in COLUMNS]
    assert len({*AMOUNTS, *COUNTS}) == len(COLUMNS)
    assert shown() == []
