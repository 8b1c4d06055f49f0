"""The removal of reasoning that a server left in the text of a reply, by the marks around it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from runner.answers.blocks import Fence, parse_blocks

_NAMES = "(?:think(?:ing)?|thoughts?|reasoning|seed:think|longcat_think)"
_OPENING = (
    rf"<{_NAMES}>|\[THINK\]|◁think▷|<\|START_THINKING\|>|<\|begin_of_thought\|>|<\|channel>thought"
)
_CLOSING = rf"</{_NAMES}>|\[/THINK\]|◁/think▷|<\|END_THINKING\|>|<\|end_of_thought\|>|<channel\|>"
_MARK = re.compile(rf"(?P<opening>{_OPENING})|{_CLOSING}", re.IGNORECASE)
_QUOTES = frozenset("`\"'")

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(?P<title>\S.*)$", re.MULTILINE)
_LINE_END = re.compile(r"\r\n|\n|\r")
_INDENT = 100
"""The most characters before a mark in which the start of its line is searched."""

_PARSINGS = 4
"""The most parsings of a reply. Each open code block of a draft hides the text after it, which is
then parsed again."""

_FINAL = re.compile(r"<\|start\|>assistant<\|channel\|>final[^\n]{0,100}?<\|message\|>")
_FIRST = re.compile(r"\s*(?:<\|start\|>assistant)?<\|channel\|>\w+[^\n]{0,100}?<\|message\|>")
_LAST = re.compile(r"<\|(?:return|end)\|>(?:\s*$|<\|start\|>.*)", re.DOTALL)
_BARE_FIRST = "analysis"
_BARE_FINAL = "assistantfinal"
"""The names of channels in replies of servers that remove the tokens around these names."""


class _Span(NamedTuple):
    """The offsets of a code block in a reply, and of the ``Files`` headings in it."""

    start: int
    end: int
    headings: tuple[int, ...]


class _Mark(NamedTuple):
    start: int
    end: int
    opens: bool
    span: _Span | None
    """The code block around the mark; None if the mark is in none."""


def without_reasoning(text: str) -> str:
    """Return a reply without the reasoning in its text.

    Everything before a closing mark without an opening mark is reasoning, because many templates
    write the opening mark into the prompt. Marks in quotes or in a code block of the answer are
    ignored.
    """
    finals = list(_FINAL.finditer(text))
    first = _FIRST.match(text)
    if finals or first:  # the reply has channels
        begin = finals[-1].end() if finals else len(text)
        if not finals and first is not None and "final" in first[0]:
            begin = first.end()
        return _LAST.sub("", text[begin:], count=1)
    if text.lstrip().startswith(_BARE_FIRST) and _BARE_FINAL in text:
        return text.rpartition(_BARE_FINAL)[2]
    for _ in range(_PARSINGS):
        text, is_parsed = _without_marked(text)
        if is_parsed:
            break
    return text


def _without_marked(text: str) -> tuple[str, bool]:
    """Return ``text`` without reasoning between marks, and whether all of it was searched.

    After a mark in the open code block of a draft, the blocks of the rest are others, so the caller
    must parse the rest again.
    """
    parts: list[str] = []
    begin = 0
    opening: _Mark | None = None
    for mark in _find_marks(text) if _MARK.search(text) else ():
        if mark.opens:
            opening = opening or (None if mark.span else mark)
            continue
        if mark.span is not None:
            # It ends reasoning if the block is an open one of a draft. Then the opening mark begins
            # a line, or the block also contains the headings of the answer that follows.
            start = 0 if opening is None else opening.start
            before = "x" if opening is None else text[max(0, start - _INDENT) : start]
            begins_line = not before.strip() or not _LINE_END.split(before)[-1].strip()
            headings = mark.span.headings
            if not begins_line and not (headings and mark.end <= headings[0]):
                continue
        if opening is None:
            parts.clear()
        else:
            parts.append(text[begin : opening.start])
        begin, opening = mark.end, None
        if mark.span is not None:
            return "".join([*parts, text[begin:]]), False
    return "".join([*parts, text[begin:]]), True


def _find_marks(text: str) -> Iterator[_Mark]:
    """Yield the marks of a reply that are not quoted, in order."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    offsets = (
        (starts[block.lines[0]], starts[min(block.lines[1], len(starts) - 1)])
        for block in parse_blocks(text)
        if isinstance(block, Fence)
    )
    spans = (
        _Span(
            start,
            end,
            tuple(
                match.start()
                for match in _HEADING.finditer(text, start, end)
                if match["title"].strip(" *_`:#\t").casefold() == "files"
            ),
        )
        for start, end in offsets
    )
    span = next(spans, None)
    for match in _MARK.finditer(text):
        while span is not None and span.end <= match.start():
            span = next(spans, None)
        if match.start() and text[match.start() - 1] in _QUOTES:
            continue
        inside = span is not None and span.start <= match.start()
        yield _Mark(
            match.start(), match.end(), match["opening"] is not None, span if inside else None
        )
