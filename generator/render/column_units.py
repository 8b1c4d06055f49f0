"""Amounts of one column: its unit and its digits are chosen from all values that stand in it.

Where each amount chose its own, 107.8 s would stand above 2 min, and $0.03 beside $0.025.
"""

from collections.abc import Callable, Iterable
from math import floor, log10
from typing import Final

from generator.render.template_filters import (
    MISSING,
    dollars,
    needs_digit,
    one_digit_percent,
    rounded,
    whole_percent,
)

Writer = Callable[[float | None], str]
"""Writes an amount of a column; an amount that is not known as a dash."""

_MOST_DIGITS: Final = 4
"""Digits after the point of an amount in dollars; a smaller one is less than the last of them."""

_MINUTE_S: Final = 60
_LONG_S: Final = 600
_WHOLE_S: Final = 100


def dollars_column(values: Iterable[float | None]) -> Writer:
    """Return how a column's dollars are written: with cents, or so that two digits count of all.

    Digits are as many as the smallest amount above 0 needs for that, and four at most. What is free
    costs ``$0``, in any column: ``$0.0000`` would be an amount that was rounded.
    """
    above = [value for value in values if value]
    digits = 2 if not above else min(max(2, 1 - floor(log10(min(above)))), _MOST_DIGITS)
    write_amount = _writer(digits, "$", "")
    return lambda value: dollars(value) if value == 0 else write_amount(value)


def seconds_column(values: Iterable[float | None]) -> Writer:
    """Return how a column's durations are written: all in ms, all in s or all in min."""
    above = [value for value in values if value]
    least, most = min(above, default=1.0), max(above, default=1.0)
    if most < 1:
        return _writer(0, "", " ms", 0.001)
    if least >= _MINUTE_S and most >= _LONG_S:
        return _writer(1, "", " min", _MINUTE_S)
    return _writer(0 if least >= _WHOLE_S else 1, "", " s")


def percent_column(values: Iterable[float]) -> Callable[[float], str]:
    """Return how a column's shares are written: whole, unless one would be 0 or 100 by rounding."""
    if any(map(needs_digit, values)):
        return one_digit_percent
    return whole_percent


def _writer(digits: int, before: str, after: str, unit: float = 1) -> Writer:
    least = 10**-digits

    def write(value: float | None) -> str:
        if value is None:
            return MISSING
        amount = value / unit
        if 0 < amount < least / 2:
            return f"< {before}{least:.{digits}f}{after}"
        return f"{before}{_apart(rounded(amount, digits))}{after}"

    return write


def _apart(number: str) -> str:
    """Return a number, its thousands apart."""
    whole, point, digits = number.partition(".")
    return f"{int(whole):,}{point}{digits}"
