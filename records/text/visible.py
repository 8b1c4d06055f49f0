"""Text that came from outside, made safe to be shown: on a page, on a terminal, in a log."""

import re
from typing import Final

_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
"""Control characters other than tab and newline, bidirectional marks, and letters of no width."""

_READ: Final = 20
"""Characters that are read for each character of a line, because of spaces that count as one."""


def visible(text: str) -> str:
    """Show control and bidirectional marks as their code points, so that nothing hides in text.

    Tabs and newlines stay. A terminal obeys nothing in the result.
    """
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_named, text.replace("\r\n", "\n"))


def one_line(text: str, longest: int | None = None) -> str:
    """Return outside text as one visible line, cut at ``longest`` characters with an ellipsis.

    A newline in a message would otherwise let it forge lines of the program's own. Of a long text
    only a beginning is read.
    """
    if longest is None:
        return visible(" ".join(text.split()))
    stripped = text.strip()
    beginning = stripped[: _READ * longest]
    line = visible(" ".join(beginning.split()))
    is_whole = len(beginning) == len(stripped) and len(line) <= longest
    return line if is_whole else line[: longest - 1] + "…"


def _named(match: re.Match[str]) -> str:
    return f"⟦U+{ord(match[0]):04X}⟧"
