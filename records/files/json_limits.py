"""Limits of how much JSON may hold, beside its bytes: a name costs a parser much more.

The texts are looked at before anything is made of them. Most are let through by a count of signs.
"""

import re
from typing import Final

MOST_NAMES: Final = 10_000
"""Names of one object in a record."""
MOST_ITEMS: Final = 5_000_000
"""Values in one document of a stranger's program, such as a transcript."""
DEEPEST: Final = 200
"""Objects and lists within one another."""
_LARGEST_SPLIT: Final = 1_000_000
"""Bytes; of larger texts no copy is made."""

_TEXT: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_ANY_SIGN: Final = re.compile(rb'(?:[^][{},"]++|' + _TEXT + rb")*+([][{},]|\Z)", re.DOTALL)
"""A sign that opens, closes or parts values, after the texts and values before it; or the end."""
_SMALL: Final = rb'\{(?:[^][{}"]++|' + _TEXT + rb"){0,400}+\}"
"""An object of few names with nothing inside, as most are: passed over as a whole."""
_NAME_OR_BRACKET: Final = re.compile(
    rb'(?:[^][{}:"]++|' + _TEXT + rb"|" + _SMALL + rb")*+([][{}:]|\Z)", re.DOTALL
)
_ESCAPE: Final = re.compile(rb"\\.", re.DOTALL)
_NESTED: Final = f"is nested more than {DEEPEST} levels deep"


def find_excess(data: bytes, most: int) -> str | None:
    """Return how JSON passes ``most`` values in all, or how deep it is; None where it does not."""
    if data.count(b",") + data.count(b"{") + data.count(b"[") <= most and not _may_be_deep(data):
        return None
    values = depth = 0
    for match in _ANY_SIGN.finditer(data):
        sign = match[1]
        if sign in {b"]", b"}"}:
            depth -= 1
        elif sign:
            values += 1
            depth += sign != b","
        if values > most:
            return f"holds more than {most} names and values"
        if depth > DEEPEST:
            return _NESTED
    return None


def find_large_object(data: bytes) -> str | None:
    """Return how an object has more than MOST_NAMES, or how deep JSON is; None where neither is."""
    if data.count(b'"') <= 2 * MOST_NAMES and not _may_be_deep(data):
        return None
    names = [0]
    for match in _NAME_OR_BRACKET.finditer(data):
        sign = match[1]
        if sign == b":":
            names[-1] += 1
            if names[-1] > MOST_NAMES:
                return f"has an object of more than {MOST_NAMES} names"
        elif sign in {b"[", b"{"}:
            names.append(0)
            if len(names) > DEEPEST + 1:
                return _NESTED
        elif sign and len(names) > 1:
            names.pop()
    return None


def _may_be_deep(data: bytes) -> bool:
    if _count_opened(data) <= DEEPEST:
        return False
    return len(data) > _LARGEST_SPLIT or _count_opened(_without_texts(data)) > DEEPEST


def _count_opened(data: bytes) -> int:
    return data.count(b"[") + data.count(b"{")


def _without_texts(data: bytes) -> bytes:
    """Return JSON without its texts, many of which hold code with brackets of its own.

    Where a backslash stands outside of texts, bytes before it are right; no parser reads on there.
    """
    return b"".join(_ESCAPE.sub(b"", data).split(b'"')[::2])
