"""Recognition of texts that a program wrote into a conversation, by their tags."""

import re
from collections.abc import Iterable
from typing import Final

_BLANKS: Final = re.compile(r"\s*")


def compile_block_opening(tags: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of the opening tags with these names, with or without attributes."""
    names = "|".join(re.escape(tag) for tag in tags)
    return re.compile(rf"<({names})(?:\s[^<>]*)?>")


def split_blocks(text: str, opening: str, closing: str) -> tuple[list[str], str]:
    """Return the texts inside of complete blocks of a text, and the text outside of them."""
    inside: list[str] = []
    outside: list[str] = []
    before, opened, after = text.partition(opening)
    while opened and closing in after:
        block, _, after = after.partition(closing)
        inside.append(block)
        outside.append(before)
        before, opened, after = after.partition(opening)
    return inside, "".join([*outside, before, opened, after])


def is_made_of_blocks(text: str, opening: re.Pattern[str]) -> bool:
    """Return whether a text has only blocks with an opening and a closing tag, and blanks.

    A text with any word outside of the blocks may quote them, and is not made of blocks.
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
