"""Phrases for sentences of several pages."""

from collections.abc import Sequence
from datetime import date
from typing import Final

NAMED: Final = 4
"""The most models that a sentence names."""


def list_in_prose(words: Sequence[str], most: int = NAMED) -> str:
    """Return a list in prose, such as ``a, b and c``.

    Of more than ``most`` words, all but the first ``most - 1`` are only counted.
    """
    if len(words) > most:
        return f"{', '.join(words[: most - 1])} and {len(words) - most + 1} more"
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def format_month(day: date) -> str:
    """Return the month of a day, such as ``February 2026``."""
    return f"{day:%B %Y}"
