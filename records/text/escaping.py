"""Text from outside, made safe for pages and spreadsheets."""

import re
from functools import lru_cache

from markupsafe import Markup, escape

from records.text.visible import make_visible

_STROKES = re.compile(r"(?<=[_/])(?=\w)")
"""The position after a stroke (``_`` or ``/``) within a name."""
_CODE = re.compile("`([^`]+)`")

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet runs a text as a formula if the text begins with one of these characters."""


SHORT = 200
"""Characters of a text; shorter texts, such as names, paths and reasons, are often shown again."""


def escape_html(text: str) -> str:
    """Return ``text`` as a plain ``str`` of HTML, for code that puts HTML together."""
    return _escape_cached(text) if len(text) < SHORT else _escape(text)


def _escape(text: str) -> str:
    return str(escape(make_visible(text)))


_escape_cached = lru_cache(maxsize=1 << 14)(_escape)


def render_content(text: str) -> str:
    """Return the text of an element as HTML: quotes stay, so code is a tenth shorter."""
    return mark_safe(escape_html(text).replace("&#34;", '"').replace("&#39;", "'"))


def render_breakable(name: str) -> str:
    """Return a name as HTML in which a line can end after each stroke (``_`` or ``/``)."""
    return mark_safe(_STROKES.sub("<wbr>", escape_html(name)))


def with_code(text: str) -> str:
    """Return a sentence as HTML, with words between backticks in code elements."""
    return mark_safe(_CODE.sub(r"<code>\1</code>", escape_html(text)))


_ISOLATE, _END = "\u2068", "\u2069"
"""Unicode's marks around a text with a direction of its own; `make_visible` replaces them in
others' text."""


def mark_name(name: str) -> str:
    """Return a name, marked for a sentence that `format_sentence` or `render_sentence` shows."""
    return f"{_ISOLATE}{make_visible(name)}{_END}"


def format_sentence(text: str) -> str:
    """Return a sentence without the marks of names, as plain text."""
    return text.replace(_ISOLATE, "").replace(_END, "")


def render_sentence(text: str) -> str:
    """Return a sentence as HTML, with each `mark_name` in an element of its own.

    Without the elements, a name that is written from right to left would move the numbers after it
    to its other side.
    """
    opened, *parts = text.split(_ISOLATE)
    html = escape_html(opened)
    for other in parts:
        name, _, after = other.partition(_END)
        html += f"<bdi>{escape_html(name)}</bdi>{escape_html(after)}"
    return mark_safe(html)


def mark_safe(html: str) -> str:
    """Return safe HTML, made by this project, with a mark by which it is not escaped again."""
    return Markup(html)  # noqa: S704 - each caller escapes or sanitises what it puts in


def disarm_formula(value: object) -> object:
    """Return a value; a text that a spreadsheet would run gets a quote before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
