"""Amounts of money and counts of things, as texts for readers."""

import pytest

from records.text.numbers import format_count, format_dollars

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
