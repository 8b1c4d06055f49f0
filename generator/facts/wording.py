"""Words that sentences of several pages are made of."""

from collections.abc import Sequence
from datetime import date
from typing import Final

NAMED: Final = 4
"""Models that a sentence names at most."""


def list_in_prose(words: Sequence[str], most: int = NAMED) -> str:
    """Return words as a list in prose; of more than ``most``, the first and how many are left."""
    if len(words) > most:
        return f"{', '.join(words[: most - 1])} and {len(words) - most + 1} more"
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def month(day: date) -> str:
    """Return the month of a day, such as ``February 2026``."""
    return f"{day:%B %Y}"
