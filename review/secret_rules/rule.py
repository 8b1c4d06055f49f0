"""A rule that finds one kind of secret, and its application to a text."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple

REMOVED: Final = "[redacted]"

Replacement = str | Callable[[re.Match[str]], str]
"""The text that stands in place of a match; a function may give back the match as it is."""

_BLANKS: Final = (" ", "\n")
_BLANK: Final = re.compile("[ \n]")
"""The white space that parts words for `_marked_words`: a word may have other white space."""

Scope = Literal["word", "line", "two lines", "text"]
"""The largest piece of a text that a match stays in; a word has no white space."""


class SecretRule(NamedTuple):
    """One kind of secret. The time of its pattern is in proportion to the text."""

    kind: str
    """The kind in words, as counts name it."""
    marks: tuple[str, ...]
    """One of these stands, in small letters, in each text that the pattern matches."""
    pattern: re.Pattern[str]
    instead: Replacement = REMOVED
    scope: Scope = "line"
    least: int = 1
    """The least length of the longest run in a match; a run has letters, digits and `_-+/=`."""
    starts: tuple[str, ...] = ()
    """Each match begins with one of these, in small letters; empty where that is not known."""
    also: tuple[str, ...] = ()
    """One of these stands, in small letters, in each match, too; empty where that is not known."""
    is_exact: bool = False
    """True if the marks have capital and small letters as the text has; else all are small."""


def make_rule(  # noqa: PLR0913 - the fields of a rule
    kind: str,
    marks: str,
    pattern: str,
    instead: Replacement = REMOVED,
    *,
    scope: Scope = "line",
    least: int = 1,
    starts: str = "",
    also: str = "",
) -> SecretRule:
    """Return a rule; ``marks``, ``starts`` and ``also`` are separated by commas."""
    return SecretRule(
        kind,
        tuple(marks.split(",")),
        re.compile(pattern),
        instead,
        scope,
        least,
        tuple(starts.split(",")) if starts else (),
        tuple(also.split(",")) if also else (),
    )


def small_letters(text: str) -> str:
    """Return ``text`` in the small letters that patterns without case take for the same."""
    return text.lower().replace("\N{LATIN SMALL LETTER LONG S}", "s").replace("\u0131", "i")


def apply_rule(rule: SecretRule, text: str, small: str, taken_out: Counter[str]) -> str:
    """Return ``text`` with the replacements of ``rule``, which ``taken_out`` counts.

    The pattern is tried in the lines or words alone in which a mark stands, for it takes ten times
    as long as the search for marks; where the starts of its matches are known, only at these.
    ``small`` has the small letters of the text.
    """

    def replace(match: re.Match[str]) -> str:
        instead = (
            match.expand(rule.instead) if isinstance(rule.instead, str) else rule.instead(match)
        )
        if instead != match[0]:
            taken_out[rule.kind] += 1
        return instead

    if rule.scope == "text" or len(small) != len(text):
        return rule.pattern.sub(replace, text)
    pieces: list[str] = []
    end = 0
    marked = _marked_words if rule.scope == "word" else _marked_lines
    for start, stop in marked(rule, text if rule.is_exact else small):
        line = text[start:stop]
        pieces.append(text[end:start])
        if rule.starts:
            pieces += _replaced_at_starts(rule, line, small[start:stop], replace)
        else:
            pieces.append(rule.pattern.sub(replace, line))
        end = stop
    return "".join([*pieces, text[end:]])


def _replaced_at_starts(
    rule: SecretRule, line: str, small: str, replace: Callable[[re.Match[str]], str]
) -> Iterator[str]:
    """Yield the pieces of a line with the replacements of its matches, as `re.sub` joins them."""
    offsets: set[int] = set()
    for start in rule.starts:
        offset = small.find(start)
        while offset >= 0:
            offsets.add(offset)
            offset = small.find(start, offset + 1)
    end = 0
    for offset in sorted(offsets):
        match = rule.pattern.match(line, offset) if offset >= end else None
        if match:
            yield line[end:offset]
            yield replace(match)
            end = match.end()
    yield line[end:]


def _marked_lines(rule: SecretRule, text: str) -> Iterator[tuple[int, int]]:
    """Yield beginning and end of the lines in which a mark stands, in their order."""
    stops: dict[int, int] = {}
    for mark in rule.marks:
        offset = text.find(mark)
        while offset >= 0:
            start = text.rfind("\n", 0, offset) + 1
            stop = text.find("\n", offset)
            stop = len(text) if stop < 0 else stop
            stops[start] = stop
            offset = text.find(mark, stop)
    end = 0
    for start, stop in sorted(stops.items()):
        before = start
        if rule.scope == "two lines" and start > 0:
            before = max(end, text.rfind("\n", 0, start - 1) + 1)
        yield before, stop
        end = stop


def _marked_words(rule: SecretRule, text: str) -> Iterator[tuple[int, int]]:
    """Yield beginning and end of the words in which a mark stands, in their order."""
    stops: dict[int, int] = {}
    for mark in rule.marks:
        stop = 0
        while (offset := text.find(mark, stop)) >= 0:
            start = max(text.rfind(blank, stop, offset) for blank in _BLANKS)
            start = stop if start < 0 else start + 1
            end = _BLANK.search(text, offset)
            stop = len(text) if end is None else end.start()
            stops[start] = stop
    yield from sorted(stops.items())
