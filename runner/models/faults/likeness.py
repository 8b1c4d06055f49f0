"""The comparison of errors. If different prompts get the same error, they are not its cause."""

import re
from typing import Final

_NAMED_IDS: Final = re.compile(
    r"""["']?\b(?:request|trace|event|correlation)?[-_ ]?id["']?\s*[:=]\s*["']?[\w.:+/-]+""",
    re.IGNORECASE,
)
"""Ids, found by the name of their field, because they may have no digit."""

_WORD: Final = re.compile(r"[\w.:+/-]+")
"""Words, numbers, times and ids. Words with a digit may differ between errors of one cause."""

_CALENDAR: Final = re.compile(
    r"\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\b",
    re.IGNORECASE,
)

_REQUEST: Final = re.compile(
    r"context (?:length|size|window|limit)|context overflow|\bprompt\b|input (?:length|tokens)"
    r"|too (?:long|large|many tokens)|unsupported (?:parameter|value)",
    re.IGNORECASE,
)

_PASSING: Final = re.compile(
    r"rate.?limit|overload|\bbusy\b|capacity|temporar|try again|timed? ?out|unavailable",
    re.IGNORECASE,
)


def extract_essence(evidence: str) -> str:
    """Return the text of an error without ids, digits and times, to compare it with others."""
    text = _NAMED_IDS.sub("", evidence)
    text = _CALENDAR.sub("", _WORD.sub(_drop_digits, text))
    return " ".join(text.split())


def _drop_digits(word: re.Match[str]) -> str:
    """Return a word, or an empty text if the word has a digit."""
    return "" if any(character.isdigit() for character in word[0]) else word[0]


def speaks_of_request(evidence: str) -> bool:
    """Return whether the words of an error mean that the request is wrong, and not that it waits.

    The result never decides the kind of a fault, but only how often a request is tried again.
    """
    return bool(_REQUEST.search(evidence)) and not _PASSING.search(evidence)
