"""Text that came from outside, made safe to stand on a page."""

import re
from typing import Final

from markupsafe import Markup

_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
"""Control characters other than tab and newline, bidirectional marks, and letters of no width."""


def visible(text: str) -> str:
    """Show control and bidirectional marks as their code points, so that nothing hides in text."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_named, text.replace("\r\n", "\n"))


def _named(match: re.Match[str]) -> str:
    return f"⟦U+{ord(match[0]):04X}⟧"


def trusted(html: str) -> str:
    """Mark HTML that this package made, and made safe, so that it is not escaped again."""
    return Markup(html)  # noqa: S704 - each caller escapes or sanitises what it puts in
