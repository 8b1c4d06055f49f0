"""Numbers and names as providers claim them, used only as far as a record can hold them."""

import json
from typing import Final

from records.shapes.base import LARGEST_COUNT

LONGEST_WORD: Final = 200
"""Characters kept of a name: a finish reason, or the model that answered."""


def read_count(value: object) -> int | None:
    """Return a count; None where the value is no whole number that a record can hold."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= LARGEST_COUNT else None


def read_dollars(value: object) -> float | None:
    """Return an amount of money; None where the value is none, or is not finite."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= LARGEST_COUNT else None


def read_dollars_text(text: object) -> float | None:
    """Return the amount of money in a header's ``text``; None where it has none."""
    try:
        return read_dollars(float(text)) if isinstance(text, str) else None
    except ValueError:
        return None


def word(value: object) -> str | None:
    """Return a name as one line of at most 200 characters; None where there is none.

    A number or a list in place of a name is returned as it was written, as a sign that the field
    was not empty.
    """
    if value is None or value == "":
        return None
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return " ".join(joined(text[: 2 * LONGEST_WORD]).split())[:LONGEST_WORD] or None


def joined(text: str) -> str:
    """Return ``text`` with surrogate pairs joined, and single halves replaced.

    JSON may write a character as two halves, and a provider may send them in two pieces.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
