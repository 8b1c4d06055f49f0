"""Likeness of errors: the same error to different prompts is not about the prompts."""

import re
from typing import Final

_NAMED_IDS: Final = re.compile(
    r"""["']?\b(?:request|trace|event|correlation)?[-_ ]?id["']?\s*[:=]\s*["']?[\w.:+/-]+""",
    re.IGNORECASE,
)
"""Ids that are found by the name of their field, even without a digit."""

_WORD: Final = re.compile(r"[\w.:+/-]+")
"""Words, numbers, times and ids; words with a digit differ between equal errors."""

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


def essence(evidence: str) -> str:
    """Return an error's text without ids, digits and times: equal for errors of the same cause."""
    text = _NAMED_IDS.sub("", evidence)
    text = _CALENDAR.sub("", _WORD.sub(_drop_digits, text))
    return " ".join(text.split())


def _drop_digits(word: re.Match[str]) -> str:
    """Return a word, or an empty text where it has a digit."""
    return "" if any(character.isdigit() for character in word[0]) else word[0]


def speaks_of_request(evidence: str) -> bool:
    """Return whether an error without a code is about its request, and not temporary.

    It never decides the kind of a fault: only how often the same error is tried again.
    """
    return bool(_REQUEST.search(evidence)) and not _PASSING.search(evidence)
