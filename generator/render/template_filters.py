"""Filters of templates: how numbers are written, and addresses of sources."""

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, NamedTuple

from records.text.numbers import format_dollars

MISSING: Final = "\N{EN DASH}"
"""Shown where a value is not known."""


_TWO_MINUTES: Final = 120


_SMALLEST_P: Final = 0.001


_FILE_IN_REPOSITORY: Final = re.compile(r"([\w.-]+/[\w.-]+)@([0-9a-f]{7,40}):([\w./-]+)")
"""A file in a repository on GitHub at a commit, as importers name it."""


def source_href(source: str) -> str | None:
    """Return the address of a source of imported results; None where it cannot be opened.

    That is an `https` address as it stands, or `owner/repository@commit:path` on GitHub.
    """
    if re.fullmatch(r"https://[\w.-]+(/[\w./~-]*)?", source):
        return source
    if (match := _FILE_IN_REPOSITORY.fullmatch(source)) is None or ".." in source:
        return None
    repository, commit, path = match.groups()
    return f"https://github.com/{repository}/blob/{commit}/{path}"


class PublishedTree(NamedTuple):
    """A repository on GitHub at a commit, in which results were published."""

    repository: str
    """Such as ``owner/name``."""
    commit: str

    def href(self, folder: str = "") -> str:
        """Return the address of the repository, or of a folder in it, at the commit."""
        below = f"/{folder}" if folder else ""
        return f"https://github.com/{self.repository}/tree/{self.commit}{below}"


def published_tree(source: str) -> PublishedTree | None:
    """Return the repository that a source of results is in; None where it is none on GitHub."""
    if (match := _FILE_IN_REPOSITORY.fullmatch(source)) is None:
        return None
    repository, commit, _ = match.groups()
    return PublishedTree(repository, commit)


def rounded(value: float, digits: int = 0) -> str:
    """Write a number with so many digits after the point; a half goes away from 0, to 63 or -63.

    Rounding errors of floats after the ninth digit are no part of the number.
    """
    exact = Decimal(repr(round(value, 9)))
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"


def percent(value: float | None) -> str:
    """Write a percentage with one digit, as tables align it."""
    return MISSING if value is None else rounded(value, 1)


_ALL: Final = 100.0


def whole_percent(value: float) -> str:
    """Write a percentage without a digit, but 100 for all and 0 for none alone.

    A value that would be rounded to either has one digit: 99.6, and 99.9 for all nearer to 100.
    """
    return one_digit_percent(value) if needs_digit(value) else rounded(value)


def needs_digit(value: float) -> bool:
    """Return whether a percentage without a digit would read as all or none, which it is not."""
    return rounded(value) in {"0", "100"} and value not in {0.0, _ALL}


def one_digit_percent(value: float) -> str:
    """Write a percentage with one digit, but 100.0 for all and 0.0 for none alone."""
    return rounded(value if value in {0.0, _ALL} else min(max(value, 0.1), 99.9), 1)


def points(value: float | None, digits: int = 1) -> str:
    """Write a difference in percentage points with its sign, which is a true minus."""
    if value is None:
        return MISSING
    text = rounded(abs(value), digits)
    if text == "0" and value != 0:
        # An end that is not 0 shows on which side of 0 it is.
        text = rounded(abs(value), 1)
    return signed(text, value if float(text) else 0)


def signed(text: str, value: float) -> str:
    """Put the sign of ``value`` before ``text``."""
    if value == 0:
        return text
    return ("+" if value > 0 else "\N{MINUS SIGN}") + text


def thousands(value: float | None) -> str:
    """Write a mean count without a fraction, thousands apart."""
    return MISSING if value is None else f"{value:,.0f}"


def plus_minus(value: float | None) -> str:
    """Write half the width of an interval in percentage points."""
    return MISSING if value is None else f"\N{PLUS-MINUS SIGN}{rounded(value, 1)}"


def dollars(value: float | None) -> str:
    """Write an amount so that small amounts still show two significant digits; none as ``$0``."""
    return MISSING if value is None else format_dollars(value)


def seconds(value: float | None) -> str:
    """Write a duration in the unit a reader would choose."""
    if value is None:
        return MISSING
    if value < 1:
        return f"{value * 1000:.0f} ms"
    if value < _TWO_MINUTES:
        return f"{value:.1f} s"
    return f"{value / 60:.0f} min"


def p_value(value: float | None) -> str:
    """Write a p-value with two digits that count, and never as zero."""
    if value is None:
        return MISSING
    return "< 0.001" if value < _SMALLEST_P else f"{value:.2g}"


_ALMOST: Final = 99


def times_in_100(p_value: float) -> str:
    """Return how often chance alone does as much, such as ``about 6 times in 100``."""
    times = round(100 * p_value)
    if times < 1:
        return "less than once in 100 times"
    if times > _ALMOST:
        return "nearly always"
    return "about once in 100 times" if times == 1 else f"about {times} times in 100"
