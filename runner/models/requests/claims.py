"""The numbers and names that providers report, checked so that a record can hold them."""

import json
from typing import Final

from records.shapes.base import LARGEST_COUNT

LONGEST_WORD: Final = 200
"""The most characters kept of a name, such as a finish reason or the model that answered."""


def read_count(value: object) -> int | None:
    """Return ``value`` as a count; None if it is not a whole number that a record can hold."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= LARGEST_COUNT else None


def read_dollars(value: object) -> float | None:
    """Return ``value`` as dollars; None if it is not a number, or negative, too large or NaN."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= LARGEST_COUNT else None


def read_dollars_text(text: object) -> float | None:
    """Return the dollars in the text of a header; None if it has no valid amount."""
    try:
        return read_dollars(float(text)) if isinstance(text, str) else None
    except ValueError:
        return None


def read_word(value: object) -> str | None:
    """Return a name as one line of at most 200 characters; None if it is null or empty.

    Any other value, such as a number or a list, is returned as its JSON text, which shows that the
    field was not empty.
    """
    if value is None or value == "":
        return None
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return " ".join(join_surrogates(text[: 2 * LONGEST_WORD]).split())[:LONGEST_WORD] or None


def join_surrogates(text: str) -> str:
    """Return ``text`` with surrogate pairs joined to characters, and single halves replaced.

    JSON may write a character as two halves, which a provider may send in two pieces.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
