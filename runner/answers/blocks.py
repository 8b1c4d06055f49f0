"""The blocks of a reply: headings, fenced code and prose."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from runner.answers.fences import make_block_parser
from runner.answers.paths import find_path_in_heading

BLANKS: Final = " \t"
_HEADING_LEVELS: Final = 6


@dataclass(frozen=True, slots=True)
class ReplyHeading:
    """A heading, with the path of a file if it names one."""

    level: int
    text: str
    path: str | None

    @property
    def opens_files(self) -> bool:
        """True for the heading above all files."""
        return self.text.strip(" *_`:").casefold() == "files"


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block."""

    text: str
    closed: bool
    lines: tuple[int, int] = (0, 0)
    """The numbers of the block's first line, and of the line after the block."""


@dataclass(frozen=True, slots=True)
class OtherBlock:
    """A block of another kind."""


Block = ReplyHeading | Fence | OtherBlock


def parse_blocks(text: str) -> list[Block]:
    """Return the blocks of a reply, in order."""
    tokens = make_block_parser().parse(text)
    blocks: list[Block] = []
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            blocks.append(_parse_heading(int(token.tag[1]), tokens[position + 1].content))
        elif token.type == "paragraph_open":
            blocks.append(_parse_paragraph(tokens[position + 1].content))
        elif token.type == "fence":
            blocks.append(Fence(token.content, token.meta["closed"], _get_line_range(token.map)))
        elif token.type == "code_block":
            blocks.append(OtherBlock())
    return blocks


def _parse_paragraph(text: str) -> Block:
    if text in {"`", "``", "~", "~~"}:  # the beginning of a fence, at which a reply was cut off
        return Fence("", closed=False)
    return _find_glued_heading(text) or OtherBlock()


def _parse_heading(level: int, text: str) -> ReplyHeading:
    heading = ReplyHeading(level, text, find_path_in_heading(text))
    if heading.path is None and not heading.opens_files:
        return _find_glued_heading(text) or heading
    return heading


def _find_glued_heading(text: str) -> ReplyHeading | None:
    """Return the heading at the end of a line of prose, such as ``Sure!# Files``; else None."""
    line = text[text.rfind("\n") + 1 :].rstrip(BLANKS).rstrip("#").rstrip(BLANKS)
    before, mark, after = line.rpartition("#")
    if not mark or not after.startswith(tuple(BLANKS)):
        return None
    level = 1 + len(before) - len(before.rstrip("#"))
    title = after.lstrip(BLANKS)
    heading = ReplyHeading(min(level, _HEADING_LEVELS), title, find_path_in_heading(title))
    return heading if heading.path is not None or heading.opens_files else None


def _get_line_range(line_range: Sequence[int] | None) -> tuple[int, int]:
    return (line_range[0], line_range[1]) if line_range else (0, 0)
