"""Likeness of errors: the same error to different prompts is not about the prompts."""

import re
from typing import Final

_NAMED_IDS: Final = re.compile(
    r"""["']?\b(?:request|trace|event|correlation)?[-_ ]?id["']?\s*[:=]\s*["']?[\w.:+/-]+""",
    re.IGNORECASE,
)
"""An id by the name of its field, also where it has no digit."""

_WORD: Final = re.compile(r"[\w.:+/-]+")
"""Words, numbers, times and ids; those that hold a digit differ between equal errors."""

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
    """Return an error's text without ids, digits and times: equal for two of one cause."""
    text = _NAMED_IDS.sub("", evidence)
    text = _CALENDAR.sub("", _WORD.sub(_drop_digits, text))
    return " ".join(text.split())


def _drop_digits(word: re.Match[str]) -> str:
    """Return a word, or nothing where it holds a digit."""
    return "" if any(character.isdigit() for character in word[0]) else word[0]


def speaks_of_request(evidence: str) -> bool:
    """Tell whether an error without a code speaks of its request, and of nothing that passes.

    Never decides what a fault is called: only how often the same error is asked for again.
    """
    return bool(_REQUEST.search(evidence)) and not _PASSING.search(evidence)
