"""Text that came from outside, made safe to stand on a page."""

import re
from functools import lru_cache
from typing import Final

from markupsafe import Markup, escape

from records.text.visible import visible

_STROKES: Final = re.compile(r"(?<=[_/])(?=\w)")
"""Behind a stroke within a name."""
_CODE: Final = re.compile("`([^`]+)`")


SHORT: Final = 200
"""Characters of a text that is likely to be shown again: a name, a path, a reason."""


def escaped(text: str) -> str:
    """Return text as it stands in a page: as plain text, for code that puts HTML together."""
    return _escaped_again(text) if len(text) < SHORT else _escaped(text)


def _escaped(text: str) -> str:
    return str(escape(visible(text)))


_escaped_again = lru_cache(maxsize=1 << 14)(_escaped)


def breakable(name: str) -> str:
    """Return a name as it stands in a page, whose line may end after a stroke in it."""
    return trusted(_STROKES.sub("<wbr>", escaped(name)))


def with_code(text: str) -> str:
    """Return a sentence as it stands in a page, with words between backticks set as code."""
    return trusted(_CODE.sub(r"<code>\1</code>", escaped(text)))


_ISOLATE, _END = "\u2068", "\u2069"
"""The marks of Unicode that keep a name's direction to itself; no text that is shown holds them."""


def name_in_text(name: str) -> str:
    """Return a name for a sentence that `plain_sentence` and `sentence_html` make ready to show."""
    return f"{_ISOLATE}{visible(name)}{_END}"


def plain_sentence(text: str) -> str:
    """Return a sentence as text alone, for where no element can stand."""
    return text.replace(_ISOLATE, "").replace(_END, "")


def sentence_html(text: str) -> str:
    """Return a sentence as it stands in a page, each `name_in_text` in an element of its own.

    Else a name that runs from right to left would take the figures behind it to its other side.
    """
    opened, *parts = text.split(_ISOLATE)
    html = escaped(opened)
    for other in parts:
        name, _, after = other.partition(_END)
        html += f"<bdi>{escaped(name)}</bdi>{escaped(after)}"
    return trusted(html)


def trusted(html: str) -> str:
    """Mark HTML that this package made, and made safe, so that it is not escaped again."""
    return Markup(html)  # noqa: S704 - each caller escapes or sanitises what it puts in
