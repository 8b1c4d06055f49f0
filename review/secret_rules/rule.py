"""Rules that find one kind of secret each, their application, and the search for possible rules.

The search goes by the words of a text, because patterns take ten times as long.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

REMOVED = "[redacted]"

Replacement = str | Callable[[re.Match[str]], str]
"""The text that replaces a match, or a function that returns it; it may return the match itself."""

_BLANK = re.compile("[ \n]")
"""The white space between words in `_find_marked_words`; a word may have other white space."""

Scope = Literal["word", "line", "two lines", "text"]
"""The largest piece of a text that a match can have; a word has no white space."""


class SecretRule(NamedTuple):
    """The rule for one kind of secret. Its pattern takes time in proportion to the text."""

    kind: str
    """The name of the kind in counts."""
    marks: tuple[str, ...]
    """Texts in small letters, at least one of which is in each match."""
    pattern: re.Pattern[str]
    instead: Replacement = REMOVED
    scope: Scope = "line"
    starts: tuple[str, ...] = ()
    """Texts in small letters, with one of which each match begins; empty if none are known."""
    is_exact: bool = False
    """True if marks must have the same capital letters as the text; if false, they are small."""


def make_rule(  # noqa: PLR0913 - the fields of a rule
    kind: str,
    marks: str,
    pattern: str,
    instead: Replacement = REMOVED,
    *,
    scope: Scope = "line",
    starts: str = "",
) -> SecretRule:
    """Return a rule; ``marks`` and ``starts`` are separated by commas."""
    return SecretRule(
        kind,
        tuple(marks.split(",")),
        re.compile(pattern),
        instead,
        scope,
        tuple(starts.split(",")) if starts else (),
    )


def fold_case(text: str) -> str:
    """Return ``text`` in small letters, as patterns that ignore case compare letters."""
    return text.lower().replace("\N{LATIN SMALL LETTER LONG S}", "s").replace("\u0131", "i")


def apply_rule(rule: SecretRule, text: str, small: str, taken_out: Counter[str]) -> str:
    """Return ``text`` after the replacements of ``rule``.

    The pattern takes ten times as long as a search for marks. So it is tried only in lines or words
    with a mark, and if ``rule.starts`` are known, only at these.

    Args:
        rule: the rule.
        text: the text.
        small: the result of `fold_case` for the text.
        taken_out: counts of replacements by kind, to which these are added.
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
    marked = _find_marked_words if rule.scope == "word" else _find_marked_lines
    for start, stop in marked(rule, text if rule.is_exact else small):
        line = text[start:stop]
        pieces.append(text[end:start])
        if rule.starts:
            pieces += _replace_at_starts(rule, line, small[start:stop], replace)
        else:
            pieces.append(rule.pattern.sub(replace, line))
        end = stop
    return "".join([*pieces, text[end:]])


def _replace_at_starts(
    rule: SecretRule, line: str, small: str, replace: Callable[[re.Match[str]], str]
) -> Iterator[str]:
    """Yield the pieces of a line with its matches replaced; joined, they are as from `re.sub`."""
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


def _find_marked_lines(rule: SecretRule, text: str) -> list[tuple[int, int]]:
    """Return beginning and end of the lines with a mark, in their order.

    With the scope of two lines, the line before is part of them, and lines that follow one another
    are one piece, because the pattern may match in any two of them.
    """
    stops: dict[int, int] = {}
    for mark in rule.marks:
        offset = text.find(mark)
        while offset >= 0:
            start = text.rfind("\n", 0, offset) + 1
            stop = text.find("\n", offset)
            stop = len(text) if stop < 0 else stop
            stops[start] = stop
            offset = text.find(mark, stop)
    pieces: list[tuple[int, int]] = []
    for start, stop in sorted(stops.items()):
        before = text.rfind("\n", 0, max(start - 1, 0)) + 1 if rule.scope == "two lines" else start
        if pieces and before < pieces[-1][1]:
            pieces[-1] = pieces[-1][0], stop
        else:
            pieces.append((before, stop))
    return pieces


def _find_marked_words(rule: SecretRule, text: str) -> Iterator[tuple[int, int]]:
    """Yield beginning and end of the words with a mark, in their order."""
    stops: dict[int, int] = {}
    for mark in rule.marks:
        stop = 0
        while (offset := text.find(mark, stop)) >= 0:
            start = max(text.rfind(blank, stop, offset) for blank in " \n")
            start = stop if start < 0 else start + 1
            end = _BLANK.search(text, offset)
            stop = len(text) if end is None else end.start()
            stops[start] = stop
    yield from sorted(stops.items())


_MOST_KNOWN = 20_000
"""Number of words in the cache; when it is exceeded, the cache is emptied."""
_LONGEST_KNOWN = 64
"""Characters of a word; longer words are not cached, to limit memory."""


class PossibleRules:
    """The search for the rules that a text may match.

    A rule is possible if a word of the text has one of its marks, and matches, if the scope of the
    rule is a word. The same words occur again and again, so the result for a word is cached, as a
    number with a bit for each rule.
    """

    def __init__(self, rules: Sequence[SecretRule]) -> None:
        """Prepare the search for all rules, in their order."""
        self._rules = rules
        self._known: dict[str, int] = {}
        self._marks: dict[tuple[str, bool], int] = {}
        """Bits by mark, and by whether capital letters must be the same. Of a mark with a space,
        this is the first word."""
        self._in_words = [
            (1 << index, rule.pattern) for index, rule in enumerate(rules) if rule.scope == "word"
        ]
        for index, rule in enumerate(rules):
            for mark in rule.marks:
                key = mark.partition(" ")[0], rule.is_exact
                self._marks[key] = self._marks.get(key, 0) | 1 << index

    def find(self, text: str) -> list[SecretRule]:
        """Return the rules that ``text`` may match, in their order."""
        known, words = self._known, set(text.split())  # another thread may replace _known
        unknown = [word for word in words if word not in known]
        bits = self._learn(unknown) if unknown else 0
        for own in set(map(known.get, words)):
            bits |= own or 0
        return [rule for index, rule in enumerate(self._rules) if bits >> index & 1]

    def _learn(self, words: Sequence[str]) -> int:
        """Return the bits of words together, and cache the bits of each word."""
        bits = dict.fromkeys(words, 0)
        small = {word: fold_case(word) for word in bits}
        exact_text, small_text = "\n".join(bits), "\n".join(small.values())
        for (mark, is_exact), marked in self._marks.items():
            if mark not in (exact_text if is_exact else small_text):
                continue  # most marks are in no word
            for word, letters in small.items():
                if mark in (word if is_exact else letters):
                    bits[word] |= marked
        for word, marked in bits.items():
            for bit, pattern in self._in_words if marked else ():
                if marked & bit and not pattern.search(word):
                    bits[word] ^= bit
        if len(self._known) > _MOST_KNOWN:
            self._known = {}
        self._known.update((word, own) for word, own in bits.items() if len(word) <= _LONGEST_KNOWN)
        together = 0
        for own in bits.values():
            together |= own
        return together
