"""The filters of templates: formats of numbers and of columns of amounts, addresses of sources.

The units and digits of a column are chosen from all its values. If each amount had its own, a
column would mix 107.8 s with 2 min, and $0.03 with $0.025.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import lru_cache
from math import floor, log10
from typing import NamedTuple

from records.text.escaping import escape_html, mark_safe
from records.text.numbers import format_dollars, round_half_up

MISSING = "\N{EN DASH}"
"""The mark for an unknown value."""


_FILE_IN_REPOSITORY = re.compile(r"([\w.-]+/[\w.-]+)@([0-9a-f]{7,40}):([\w./-]+)")
"""A file in a repository on GitHub at a commit, as importers write it."""


def build_source_href(source: str) -> str | None:
    """Return the web address of a source of imported results; None if it has none.

    A source is an `https` address, or `owner/repository@commit:path` on GitHub.
    """
    if re.fullmatch(r"https://[\w.-]+(/[\w./~-]*)?", source):
        return source
    if (match := _FILE_IN_REPOSITORY.fullmatch(source)) is None or ".." in source:
        return None
    repository, commit, path = match.groups()
    return f"https://github.com/{repository}/blob/{commit}/{path}"


class PublishedTree(NamedTuple):
    """A repository on GitHub in which results were published, at a commit."""

    repository: str
    """The repository, such as ``owner/name``."""
    commit: str

    def build_href(self, folder: str = "") -> str:
        """Return the address of the repository, or of a folder in it, at the commit."""
        below = f"/{folder}" if folder else ""
        return f"https://github.com/{self.repository}/tree/{self.commit}{below}"


def find_published_tree(source: str) -> PublishedTree | None:
    """Return the repository of a source of results; None if the source is not on GitHub."""
    if (match := _FILE_IN_REPOSITORY.fullmatch(source)) is None:
        return None
    repository, commit, _ = match.groups()
    return PublishedTree(repository, commit)


def format_percent(value: float | None) -> str:
    """Return a percentage with one digit after the point; None as a dash."""
    return MISSING if value is None else round_half_up(value, 1)


_ALL = 100.0


def format_whole_percent(value: float) -> str:
    """Return a percentage as a whole number; only all is 100 and only none is 0.

    Another value that would be rounded to 100 or 0 has a digit after the point, such as 99.6, and
    is never above 99.9 or below 0.1.
    """
    return format_one_digit_percent(value) if needs_digit(value) else round_half_up(value)


def needs_digit(value: float) -> bool:
    """Return whether a percentage would be rounded to 0 or 100 although it is neither."""
    return round_half_up(value) in {"0", "100"} and value not in {0.0, _ALL}


def format_one_digit_percent(value: float) -> str:
    """Return a percentage with one digit after the point; only all is 100.0, only none is 0.0."""
    return round_half_up(value if value in {0.0, _ALL} else min(max(value, 0.1), 99.9), 1)


def format_points(value: float | None, digits: int = 1) -> str:
    """Return a difference in percentage points with its sign; None as a dash."""
    if value is None:
        return MISSING
    text = round_half_up(abs(value), digits)
    if text == "0" and value != 0:
        # A value that is not 0 gets a further digit, to show on which side of 0 it is.
        text = round_half_up(abs(value), 1)
    sign = "+" if value > 0 else "\N{MINUS SIGN}"
    return sign + text if float(text) else text


def format_thousands(value: float | None) -> str:
    """Return a number without a fraction, with commas between thousands; None as a dash."""
    return MISSING if value is None else f"{value:,.0f}"


def format_plus_minus(value: float | None) -> str:
    """Return half the width of an interval in percentage points, such as `±1.2`; None as a dash."""
    return MISSING if value is None else f"\N{PLUS-MINUS SIGN}{round_half_up(value, 1)}"


def format_dollars_or_dash(value: float | None) -> str:
    """Return US dollars, small amounts with two significant digits; 0 as ``$0``, None as a dash."""
    return MISSING if value is None else format_dollars(value)


def format_seconds(value: float | None) -> str:
    """Return a duration in ms, s or min, by its size; None as a dash."""
    if value is None:
        return MISSING
    if value < 1:
        return f"{value * 1000:.0f} ms"
    if value < 120:  # noqa: PLR2004 - two minutes
        return f"{value:.1f} s"
    return f"{value / 60:.0f} min"


def format_p_value(value: float | None) -> str:
    """Return a p-value with two significant digits, never as 0; None as a dash."""
    if value is None:
        return MISSING
    return "< 0.001" if value < 0.001 else f"{value:.2g}"  # noqa: PLR2004 - as it says


def describe_p_value(p_value: float) -> str:
    """Return a p-value in words, such as ``about 6 times in 100``."""
    times = round(100 * p_value)
    if times < 1:
        return "less than once in 100 times"
    if times > 99:  # noqa: PLR2004 - of 100
        return "nearly always"
    return "about once in 100 times" if times == 1 else f"about {times} times in 100"


_HEATS = (40, 50, 60, 70, 80, 85, 90, 95, 100)
"""The percentages from which a cell's colour is stronger; closer where most scores are."""


def choose_heat(percent: float) -> int:
    """Return how strongly the cell of a percentage is coloured, from 0 to 9."""
    return bisect_right(_HEATS, percent)


def format_value(value: object) -> str:
    """Return a recorded value as text: JSON, but texts without quotes."""
    if isinstance(value, str):
        return value
    kind = type(value)
    # JSON writes these so, too; half a million attempts have many.
    return repr(value) if kind is int or kind is float else json.dumps(value, ensure_ascii=False)


@lru_cache(maxsize=1 << 8)
def render_outcome_tag(outcome: str, label: str | None = None) -> str:
    """Return an outcome as HTML; ``label`` replaces its name."""
    words = outcome.replace("_", " ") if label is None else label
    return mark_safe(f'<span class="outcome {escape_html(outcome)}">{escape_html(words)}</span>')


Writer = Callable[[float | None], str]
"""A function that formats an amount of a column; an unknown amount as a dash."""

_MOST_DIGITS = 4
"""The most digits after the point of dollars; smaller amounts are written as `< $0.0001`."""

_MINUTE_S = 60


def choose_dollars_writer(values: Iterable[float | None]) -> Writer:
    """Return a function that writes the dollars of a column, all with the same number of digits.

    There are at least two digits after the point and at most four: as many as the smallest amount
    above 0 needs to show two significant digits. 0 is always ``$0``, because ``$0.0000`` would
    look like a rounded amount.
    """
    above = [value for value in values if value]
    digits = 2 if not above else min(max(2, 1 - floor(log10(min(above)))), _MOST_DIGITS)
    write_amount = _make_writer(digits, "$", "")
    return lambda value: format_dollars_or_dash(value) if value == 0 else write_amount(value)


def choose_seconds_writer(values: Iterable[float | None]) -> Writer:
    """Return a function that writes the durations of a column, all in ms, in s or in min."""
    above = [value for value in values if value]
    least, most = min(above, default=1.0), max(above, default=1.0)
    if most < 1:
        return _make_writer(0, "", " ms", 0.001)
    if least >= _MINUTE_S and most >= 10 * _MINUTE_S:
        return _make_writer(1, "", " min", _MINUTE_S)
    return _make_writer(0 if least >= 100 else 1, "", " s")  # noqa: PLR2004 - three digits are enough


def choose_percent_writer(values: Iterable[float]) -> Callable[[float], str]:
    """Return a function that writes the percentages of a column, all with the same digits.

    They are whole numbers, unless rounding would turn a value into 0 or 100.
    """
    if any(map(needs_digit, values)):
        return format_one_digit_percent
    return format_whole_percent


def _make_writer(digits: int, before: str, after: str, unit: float = 1) -> Writer:
    least = 10**-digits

    def write(value: float | None) -> str:
        if value is None:
            return MISSING
        amount = value / unit
        if 0 < amount < least / 2:
            return f"< {before}{least:.{digits}f}{after}"
        whole, point, rest = round_half_up(amount, digits).partition(".")
        return f"{before}{int(whole):,}{point}{rest}{after}"

    return write
