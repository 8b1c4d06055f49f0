"""The blocks of a reply: headings, fenced code and prose.

Fences follow markdown-it's rule, and a little more. CommonMark closes a fence at the first bare
fence of its length, so a README that holds code blocks ends in its middle and its own end opens a
block that swallows the next files. Here a fence marked as markdown ends where its inner fences are
balanced, and a fence of code never ends within a comment or a template literal that is closed
later. The ``meta`` of every token records whether its fence was closed, because an open fence at
the end is a reply that was cut off.
"""

import re
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from runner.answers.paths import find_path_in_heading

_FENCE = re.compile(r"(?P<marks>`{3,}|~{3,})(?P<info>.*)", re.DOTALL)
_UNBALANCED = "unbalanced"
_UNCLOSED = "unclosed"
_MARKDOWN = frozenset({"markdown", "md", "mdx"})
_CODE = frozenset(
    {"", "ts", "tsx", "typescript", "js", "jsx", "javascript", "mts", "mjs", "cts", "cjs"}
)
"""Languages with such comments and literals; most fences without a language have one of them."""
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*)")
_SIGN_OF_CODE = re.compile(r"//|/\*|[`{}/]|'(?:[^'\\]|\\.)*'?|\"(?:[^\"\\]|\\.)*\"?")
_TEMPLATE = re.compile(r"\\.|`|\$\{")
_PATTERN = re.compile(r"/(?:[^/\\\[]|\\.|\[(?:[^\]\\]|\\.){0,100}\]){1,100}/")
"""A regular expression in code; longer ones are read as divisions, to limit the steps."""
_BEFORE_PATTERN = frozenset("=(,:[!&|?{};+-*%~^<>")
BLANKS = " \t"
_HEADING_LEVELS = 6


class ReplyHeading(NamedTuple):
    """A heading, with the path of a file if it names one."""

    level: int
    text: str
    path: str | None

    @property
    def opens_files(self) -> bool:
        """True for the heading above all files."""
        return self.text.strip(" *_`:").casefold() == "files"


class Fence(NamedTuple):
    """A fenced code block."""

    text: str
    closed: bool
    lines: tuple[int, int] = (0, 0)
    """The numbers of the block's first line, and of the line after the block."""


class OtherBlock:
    """A block of another kind."""


Block = ReplyHeading | Fence | OtherBlock


def parse_blocks(text: str) -> list[Block]:
    """Return the blocks of a reply, in order."""
    tokens = make_block_parser().parse(text)
    blocks: list[Block] = []
    for position, token in enumerate(tokens):
        if token.type == "heading_open":
            content = tokens[position + 1].content
            heading = ReplyHeading(int(token.tag[1]), content, find_path_in_heading(content))
            if heading.path is None and not heading.opens_files:
                heading = _find_glued_heading(content) or heading
            blocks.append(heading)
        elif token.type == "paragraph_open":
            content = tokens[position + 1].content
            if content in {"`", "``", "~", "~~"}:  # the beginning of a fence: a reply was cut off
                blocks.append(Fence("", closed=False))
            else:
                blocks.append(_find_glued_heading(content) or OtherBlock())
        elif token.type == "fence":
            first, after = token.map or (0, 0)
            blocks.append(Fence(token.content, token.meta["closed"], (first, after)))
        elif token.type == "code_block":
            blocks.append(OtherBlock())
    return blocks


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


@cache
def make_block_parser() -> MarkdownIt:
    """Return a parser of a reply's blocks: headings, paragraphs, lists and fences.

    Rules that could swallow a heading against the sense of every reply (HTML, underlined headings,
    link definitions) are off, and text inside a block is left as it is.
    """
    parser = MarkdownIt("commonmark").disable(["html_block", "lheading", "reference"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.at(
        "fence", _parse_fence, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    return parser


def _parse_fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
    if (opening := _match_fence(state, start)) is None:
        return False
    marks, info = opening
    if marks[0] == "`" and "`" in info:
        return False
    if silent:
        return True
    language = (info.split() or [""])[0].lower()
    nested = language in _MARKDOWN and _UNBALANCED not in state.env
    code = _find_end_of_code(state, start, end, marks) if language in _CODE else None
    last, closed = code or _find_last_line(state, start, end, marks, nested=nested)
    state.line = last + 1 if closed else last
    token = state.push("fence", "code", 0)
    token.content = state.getLines(start + 1, last, state.sCount[start], True)  # noqa: FBT003 - positional in the library
    token.map = [start, state.line]
    token.meta = {"closed": closed}
    return True


def _match_fence(state: StateBlock, line: int) -> tuple[str, str] | None:
    if state.is_code_block(line):
        return None
    begin = state.bMarks[line] + state.tShift[line]
    fence = _FENCE.match(state.src, begin, state.eMarks[line])
    return None if fence is None else (fence["marks"], fence["info"])


def _find_end_of_code(
    state: StateBlock, start: int, end: int, marks: str
) -> tuple[int, bool] | None:
    """Return the first bare fence outside of comments and literals, if one inside comes before it.

    A heading with the path of a file above a fence begins the next file, so that the comment
    or literal was never closed.
    """
    if _UNCLOSED in state.env:
        return None
    texts = OpenTexts()
    is_inside = is_path_above = False
    for line in range(start + 1, end):
        if _is_outside(state, line):
            break
        fence = _match_fence(state, line)
        if fence is not None and is_inside and is_path_above:
            break
        text = state.src[state.bMarks[line] : state.eMarks[line]]
        # A bare fence of as many such marks can close the fence.
        if fence is not None and fence[0].startswith(marks) and not fence[1].strip():
            if not texts.is_inside:
                return (line, True) if is_inside else None
            is_inside = True
        if text.strip():
            heading = _HEADING.fullmatch(text)
            is_path_above = heading is not None and find_path_in_heading(heading[1]) is not None
        if fence is None or not texts.is_inside:
            texts.read_line(text)
    if is_inside:
        # The flag ends the search for good: a search from each fence would take quadratic time.
        state.env[_UNCLOSED] = True
    return None


def _find_last_line(
    state: StateBlock, start: int, end: int, marks: str, *, nested: bool
) -> tuple[int, bool]:
    """Return the line after the fence's text, and whether this line closes the fence.

    A nested fence is closed where it is balanced, any other by the first bare fence.
    """
    first: int | None = None
    depth = 0
    for line in range(start + 1, end):
        if _is_outside(state, line):
            end = line
            break
        fence = _match_fence(state, line)
        if fence is None or fence[0][0] != marks[0] or len(fence[0]) < len(marks):
            continue
        if fence[1].strip():
            depth += 1
        elif not nested or depth == 0:
            return line, True
        else:
            first = line if first is None else first
            depth -= 1
    if first is None:
        return end, False
    # The flag ends the search for good: a search from each fence would take quadratic time.
    state.env[_UNBALANCED] = True
    return first, True


def _is_outside(state: StateBlock, line: int) -> bool:
    """Return whether a line has left the current list item or quote."""
    if state.blkIndent == 0:
        return False
    is_empty = state.bMarks[line] + state.tShift[line] >= state.eMarks[line]
    return not is_empty and state.sCount[line] < state.blkIndent


class OpenTexts:
    """The comment or template literal in which a line of code ends, if it ends in one."""

    def __init__(self) -> None:
        """Begin outside of both."""
        self._inside = ""
        """The sign that opened the text: ``/*`` or a backtick."""
        self._braces = [0]
        """The open braces of the code, and of each value within template literals around it."""

    @property
    def is_inside(self) -> bool:
        """Whether the lines so far end in a comment or a template literal."""
        return bool(self._inside) or len(self._braces) > 1

    def read_line(self, line: str) -> None:
        """Read the next line of the code."""
        at = 0
        while at < len(line):
            if self._inside == "/*":
                end = line.find("*/", at)
                if end < 0:
                    return
                self._inside, at = "", end + 2
                continue
            sign = (_TEMPLATE if self._inside else _SIGN_OF_CODE).search(line, at)
            if sign is None or sign[0] == "//":
                return
            at = sign.end()
            if sign[0] == "/" and not self._inside:
                before = line[max(0, sign.start() - 10) : sign.start()].rstrip()
                is_opening = not before or before[-1] in _BEFORE_PATTERN
                is_opening = is_opening or before.endswith("return")
                pattern = _PATTERN.match(line, sign.start()) if is_opening else None
                at = pattern.end() if pattern else at
            else:
                self._take_sign(sign[0])

    def _take_sign(self, sign: str) -> None:
        if self._inside:  # a template literal
            if sign in {"`", "${"}:
                self._inside = ""
            if sign == "${":
                self._braces.append(0)
        elif sign in {"/*", "`"}:
            self._inside = sign
        elif sign == "{":
            self._braces[-1] += 1
        elif sign == "}" and self._braces[-1]:
            self._braces[-1] -= 1
        elif sign == "}" and len(self._braces) > 1:
            self._braces.pop()
            self._inside = "`"
