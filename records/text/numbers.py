"""Amounts of money and counts of things, as texts for readers."""

from decimal import Decimal
from typing import Final

_TEN_CENTS: Final = 0.0995
"""Dollars; larger amounts would be ten cents or more if rounded to two significant digits."""


def format_dollars(amount: float) -> str:
    """Return an amount of money, rounded to cents, or to two significant digits below ten cents.

    Zero is ``$0``, because ``$0.00`` could be a small amount that was rounded.
    """
    if amount == 0:
        return "$0"
    if amount >= _TEN_CENTS:
        return f"${amount:.2f}"
    return f"${Decimal(f'{amount:.2g}'):f}"


def format_count(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, such as ``1 session`` or ``2 sessions``.

    ``plural`` is needed if the plural of the noun is not the noun with an s.
    """
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"
