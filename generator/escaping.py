"""Text that came from outside, made safe to stand on a page."""

import re
from functools import lru_cache
from typing import Final

from markupsafe import Markup, escape

_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
"""Control characters other than tab and newline, bidirectional marks, and letters of no width."""
_STROKES: Final = re.compile(r"(?<=[_/])(?=\w)")
"""Behind a stroke within a name."""


def visible(text: str) -> str:
    """Show control and bidirectional marks as their code points, so that nothing hides in text."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_named, text.replace("\r\n", "\n"))


def _named(match: re.Match[str]) -> str:
    return f"⟦U+{ord(match[0]):04X}⟧"


SHORT: Final = 200
"""Characters of a text that is likely to be shown again: a name, a path, a reason."""


def escaped(text: str) -> str:
    """Return text as it stands in a page: as plain text for whoever puts HTML together."""
    return _escaped_again(text) if len(text) < SHORT else _escaped(text)


def _escaped(text: str) -> str:
    return str(escape(visible(text)))


_escaped_again = lru_cache(maxsize=1 << 14)(_escaped)


def breakable(name: str) -> str:
    """Return a name as it stands in a page, whose line may end after a stroke in it."""
    return trusted(_STROKES.sub("<wbr>", escaped(name)))


def trusted(html: str) -> str:
    """Mark HTML that this package made, and made safe, so that it is not escaped again."""
    return Markup(html)  # noqa: S704 - each caller escapes or sanitises what it puts in
