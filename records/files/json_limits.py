"""Limits of names, values and nesting in JSON, each of which takes a parser more than its bytes.

A text is checked before it is parsed. For most texts a count of some characters is enough.
"""

import re

MOST_NAMES = 10_000
"""Names in one object of a record."""
MOST_ITEMS = 5_000_000
"""Values in one document of another program, such as a transcript."""
LARGEST_LINE = 32 * 1024 * 1024
"""Bytes of a line of another program's JSON Lines, such as a transcript."""
DEEPEST = 200
"""Levels of nested objects and lists."""
_LARGEST_SPLIT = 1_000_000
"""Bytes of a text; a larger text is not copied."""

_TEXT = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?'
_ANY_SIGN = re.compile(rb'(?:[^][{},"]++|' + _TEXT + rb")*+([][{},]|\Z)", re.DOTALL)
"""A character that opens, closes or separates values, with all before it; or the end of all."""
_SMALL = rb'\{(?:[^][{}"]++|' + _TEXT + rb"){0,400}+\}"
"""A small object without nested objects and lists, as most objects are; it is skipped whole."""
_NAME_OR_BRACKET = re.compile(
    rb'(?:[^][{}:"]++|' + _TEXT + rb"|" + _SMALL + rb")*+([][{}:]|\Z)", re.DOTALL
)
_ESCAPE = re.compile(rb"\\.", re.DOTALL)
_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))
_NESTED = f"is nested more than {DEEPEST} levels deep"


def find_excess(data: bytes, most: int) -> str | None:
    """Return the limit that JSON exceeds: ``most`` values in all, or the depth. Else None."""
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
    """Return the limit that JSON exceeds: MOST_NAMES in one object. Else None.

    pydantic, which reads this JSON, refuses more than 200 levels itself.
    """
    # Each name has a colon after it.
    if data.count(b":") <= MOST_NAMES:
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
        elif sign and len(names) > 1:
            names.pop()
    return None


def _may_be_deep(data: bytes) -> bool:
    """Return whether the depth may exceed DEEPEST, by removing empty pairs of brackets in turns.

    Each turn removes at most two levels. A record has few levels, so few turns are enough.
    """
    if _count_opened(data) <= DEEPEST:
        return False
    if len(data) > _LARGEST_SPLIT:
        return True
    # Code in texts has brackets of its own. After a backslash outside of texts, the result is
    # wrong, but a parser refuses JSON there.
    brackets = b"".join(_ESCAPE.sub(b"", data).split(b'"')[::2]).translate(None, _NO_BRACKET)
    for removed in range(0, DEEPEST, 2):
        if _count_opened(brackets) <= DEEPEST - removed:
            return False
        shorter = brackets.replace(b"{}", b"").replace(b"[]", b"")
        if len(shorter) == len(brackets):
            break
        brackets = shorter
    return True


def _count_opened(data: bytes) -> int:
    return data.count(b"[") + data.count(b"{")
