"""Likeness of errors: the same error to different prompts is not about the prompts."""

import re
from typing import Final

_NAMED_IDS: Final = re.compile(
    r"""["']?\b(?:request|trace|event|correlation)?[-_ ]?id["']?\s*[:=]\s*["']?[\w.:+/-]+""",
    re.IGNORECASE,
)
"""An id by the name of its field, also where it has no digit."""

_WITH_DIGITS: Final = re.compile(r"[\w.:+/-]*\d[\w.:+/-]*")
"""Numbers, times, and ids: words that hold a digit."""

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
    for pattern in (_WITH_DIGITS, _CALENDAR):
        text = pattern.sub("", text)
    return " ".join(text.split())


def speaks_of_request(evidence: str) -> bool:
    """Tell whether an error without a code speaks of its request, and of nothing that passes.

    Never decides what a fault is called: only how often the same error is asked for again.
    """
    return bool(_REQUEST.search(evidence)) and not _PASSING.search(evidence)
