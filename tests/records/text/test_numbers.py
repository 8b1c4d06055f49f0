"""Money for readers."""

import pytest

from records.text.numbers import format_dollars

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
