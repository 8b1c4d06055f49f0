"""Lines of JSON Lines that other programs wrote, numbered as an editor numbers them."""

from collections.abc import Iterator
from typing import Final, NamedTuple

LARGEST_LINE: Final = 32 * 1024 * 1024
"""Bytes of a line; a longer one is refused."""
BLANKS: Final = b" \t\r\n"
"""The blanks that JSON allows between its parts."""


class TextBody(NamedTuple):
    """A text without the blanks at its beginning."""

    text: bytes
    blank_lines: int
    """The number of lines before it."""


def strip_beginning(text: bytes) -> TextBody:
    """Return a text without the blanks at its beginning; it has no byte order mark."""
    body = text.lstrip(BLANKS)
    return TextBody(body, text.count(b"\n", 0, len(text) - len(body)))


def number_lines(body: TextBody) -> Iterator[tuple[int, bytes]]:
    """Yield each line that is not blank, with its number, and without a copy of all others."""
    text, number = body.text, body.blank_lines + 1
    begin = 0
    while begin < len(text):
        end = text.find(b"\n", begin)
        end = len(text) if end < 0 else end
        line = text[begin:end]
        if line.strip(BLANKS):
            yield number, line
        begin, number = end + 1, number + 1
