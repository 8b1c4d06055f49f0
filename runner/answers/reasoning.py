"""The removal of reasoning that a server left in the text of a reply, by the marks around it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from runner.answers.blocks import Fence, parse_blocks

_NAMES: Final = "(?:think(?:ing)?|thoughts?|reasoning|seed:think|longcat_think)"
_OPENING: Final = (
    rf"<{_NAMES}>|\[THINK\]|◁think▷|<\|START_THINKING\|>|<\|begin_of_thought\|>|<\|channel>thought"
)
_CLOSING: Final = (
    rf"</{_NAMES}>|\[/THINK\]|◁/think▷|<\|END_THINKING\|>|<\|end_of_thought\|>|<channel\|>"
)
_MARK: Final = re.compile(rf"(?P<opening>{_OPENING})|{_CLOSING}", re.IGNORECASE)
_QUOTES: Final = frozenset("`\"'")

_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[ \t]+(?P<title>\S.*)$", re.MULTILINE)
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_INDENT: Final = 100
"""The most characters before a mark in which the start of its line is searched."""

_PARSINGS: Final = 4
"""The most parsings of a reply. Each open code block of a draft hides the text after it, which is
then parsed again."""

_FINAL: Final = re.compile(r"<\|start\|>assistant<\|channel\|>final[^\n]{0,100}?<\|message\|>")
_FIRST: Final = re.compile(
    r"\s*(?:<\|start\|>assistant)?<\|channel\|>\w+[^\n]{0,100}?<\|message\|>"
)
_LAST: Final = re.compile(r"<\|(?:return|end)\|>(?:\s*$|<\|start\|>.*)", re.DOTALL)
_BARE_FIRST: Final = "analysis"
_BARE_FINAL: Final = "assistantfinal"
"""The names of channels in replies of servers that remove the tokens around these names."""


@dataclass(frozen=True, slots=True)
class _Span:
    """The offsets of a code block in a reply, and of the ``Files`` headings in it."""

    start: int
    end: int
    headings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Mark:
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
    answer = _find_final_channel(text)
    if answer is not None:
        return answer
    for _ in range(_PARSINGS):
        text, is_parsed = _without_marked(text)
        if is_parsed:
            break
    return text


def _find_final_channel(text: str) -> str | None:
    """Return the final channel of a reply; None if the reply has no channels."""
    finals = list(_FINAL.finditer(text))
    first = _FIRST.match(text)
    if finals or first:
        begin = finals[-1].end() if finals else len(text)
        if not finals and first is not None and "final" in first[0]:
            begin = first.end()
        return _LAST.sub("", text[begin:], count=1)
    if text.lstrip().startswith(_BARE_FIRST) and _BARE_FINAL in text:
        return text.rpartition(_BARE_FINAL)[2]
    return None


def _without_marked(text: str) -> tuple[str, bool]:
    """Return ``text`` without reasoning between marks, and whether all of it was searched.

    After a mark in the open code block of a draft, the blocks of the rest are others, so the caller
    must parse the rest again.
    """
    if _MARK.search(text) is None:
        return text, True
    parts: list[str] = []
    begin = 0
    opening: _Mark | None = None
    for mark in _find_marks(text):
        if mark.opens:
            opening = opening or (None if mark.span else mark)
            continue
        if mark.span is not None and not _ends_draft(text, mark, mark.span, opening):
            continue
        if opening is None:
            parts.clear()
        else:
            parts.append(text[begin : opening.start])
        begin, opening = mark.end, None
        if mark.span is not None:
            return "".join([*parts, text[begin:]]), False
    return "".join([*parts, text[begin:]]), True


def _ends_draft(text: str, mark: _Mark, span: _Span, opening: _Mark | None) -> bool:
    """Return whether a closing mark in a code block ends reasoning.

    It does if the block is an open code block of a draft: then the block also contains the headings
    of the answer that follows.
    """
    if opening is not None and _begins_line(text, opening.start):
        return True
    headings = span.headings
    return bool(headings) and mark.end <= headings[0]


def _begins_line(text: str, start: int) -> bool:
    before = text[max(0, start - _INDENT) : start]
    return not before.strip() or not _LINE_END.split(before)[-1].strip()


def _find_marks(text: str) -> Iterator[_Mark]:
    """Yield the marks of a reply that are not quoted, in order."""
    spans = iter(_find_spans(text))
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


def _find_spans(text: str) -> Iterator[_Span]:
    """Yield the code blocks of a reply."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    for block in parse_blocks(text):
        if isinstance(block, Fence):
            first, after = block.lines
            start, end = starts[first], starts[min(after, len(starts) - 1)]
            yield _Span(start, end, tuple(_find_files_headings(text, start, end)))


def _find_files_headings(text: str, start: int, end: int) -> Iterator[int]:
    for match in _HEADING.finditer(text, start, end):
        if match["title"].strip(" *_`:#\t").casefold() == "files":
            yield match.start()
