"""Text from outside, made safe for pages, terminals and logs."""

import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
"""Control characters except tab and newline, bidirectional marks, and characters of no width."""

READ = 20
"""Characters that are read for each character of a line: several spaces become a single space."""


def make_visible(text: str) -> str:
    """Return ``text`` with hidden characters replaced by their code points, such as ``⟦U+200B⟧``.

    Hidden are control characters, bidirectional marks and characters of no width, but not tab and
    newline. The result has no command for a terminal.
    """
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text.replace("\r\n", "\n"))


def make_one_line(text: str, longest: int | None = None) -> str:
    """Return ``text`` as one visible line of at most ``longest`` characters.

    A line that is cut ends with an ellipsis, and only the beginning of a long text is read. With a
    newline, a message from outside could forge lines of the program's output.
    """
    if longest is None:
        return make_visible(" ".join(text.split()))
    stripped = text.strip()
    beginning = stripped[: READ * longest]
    line = make_visible(" ".join(beginning.split()))
    is_whole = len(beginning) == len(stripped) and len(line) <= longest
    return line if is_whole else line[: longest - 1] + "…"
