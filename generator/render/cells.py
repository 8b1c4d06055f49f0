"""The units and digits of columns of amounts, chosen from all values of a column.

If each amount had its own unit and digits, a column would mix 107.8 s with 2 min, and $0.03 with
$0.025.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from math import floor, log10
from typing import Final

from generator.render import template_filters
from records.text.escaping import escape_html, mark_safe


@lru_cache(maxsize=1 << 8)
def render_outcome_tag(outcome: str, label: str | None = None) -> str:
    """Return an outcome as HTML; ``label`` replaces its name."""
    words = outcome.replace("_", " ") if label is None else label
    return mark_safe(f'<span class="outcome {escape_html(outcome)}">{escape_html(words)}</span>')


Writer = Callable[[float | None], str]
"""A function that formats an amount of a column; an unknown amount as a dash."""

_MOST_DIGITS: Final = 4
"""The most digits after the point of dollars; smaller amounts are written as `< $0.0001`."""

_MINUTE_S: Final = 60
_LONG_S: Final = 600
_WHOLE_S: Final = 100


def choose_dollars_writer(values: Iterable[float | None]) -> Writer:
    """Return a function that writes the dollars of a column, all with the same number of digits.

    There are at least two digits after the point and at most four: as many as the smallest amount
    above 0 needs to show two significant digits. 0 is always ``$0``, because ``$0.0000`` would
    look like a rounded amount.
    """
    above = [value for value in values if value]
    digits = 2 if not above else min(max(2, 1 - floor(log10(min(above)))), _MOST_DIGITS)
    write_amount = _make_writer(digits, "$", "")
    return lambda value: (
        template_filters.format_dollars_or_dash(value) if value == 0 else write_amount(value)
    )


def choose_seconds_writer(values: Iterable[float | None]) -> Writer:
    """Return a function that writes the durations of a column, all in ms, in s or in min."""
    above = [value for value in values if value]
    least, most = min(above, default=1.0), max(above, default=1.0)
    if most < 1:
        return _make_writer(0, "", " ms", 0.001)
    if least >= _MINUTE_S and most >= _LONG_S:
        return _make_writer(1, "", " min", _MINUTE_S)
    return _make_writer(0 if least >= _WHOLE_S else 1, "", " s")


def choose_percent_writer(values: Iterable[float]) -> Callable[[float], str]:
    """Return a function that writes the percentages of a column, all with the same digits.

    They are whole numbers, unless rounding would turn a value into 0 or 100.
    """
    if any(map(template_filters.needs_digit, values)):
        return template_filters.format_one_digit_percent
    return template_filters.format_whole_percent


def _make_writer(digits: int, before: str, after: str, unit: float = 1) -> Writer:
    least = 10**-digits

    def write(value: float | None) -> str:
        if value is None:
            return template_filters.MISSING
        amount = value / unit
        if 0 < amount < least / 2:
            return f"< {before}{least:.{digits}f}{after}"
        whole, point, rest = template_filters.round_half_up(amount, digits).partition(".")
        return f"{before}{int(whole):,}{point}{rest}{after}"

    return write
