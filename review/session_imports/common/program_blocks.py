"""Texts that a program wrote into a conversation, known by the tags that they are made of."""

import re
from collections.abc import Iterable
from typing import Final

_BLANKS: Final = re.compile(r"\s*")


def block_opening(tags: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of an opening tag of these names, with or without attributes."""
    names = "|".join(re.escape(tag) for tag in tags)
    return re.compile(rf"<({names})(?:\s[^<>]*)?>")


def is_made_of_blocks(text: str, opening: re.Pattern[str]) -> bool:
    """Return whether a whole text is blocks that begin so, each closed, with blanks between.

    A text that quotes a block, or has a word beside it, is none.
    """
    stripped = text.strip()
    offset = 0
    while offset < len(stripped):
        begin = opening.match(stripped, offset)
        if begin is None:
            return False
        closing = f"</{begin[1]}>"
        end = stripped.find(closing, begin.end())
        if end < 0:
            return False
        blanks = _BLANKS.match(stripped, end + len(closing))
        offset = blanks.end() if blanks else len(stripped)
    return bool(stripped)
