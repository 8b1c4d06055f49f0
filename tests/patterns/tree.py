"""The tree that Python's own parser makes of a pattern, and which characters its nodes match."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

c: Final[Any] = import_module("re._constants")
"""Kinds of nodes, as Python names them."""
_parser: Final[Any] = import_module("re._parser")


def parse(pattern: str | bytes, flags: int = 0) -> Any:  # noqa: ANN401 - Python's tree has no types
    """Return the tree of a pattern."""
    return _parser.parse(pattern, flags)


def is_character(item: Any) -> bool:  # noqa: ANN401 - Python's tree
    """Say whether a node of the tree matches exactly one character."""
    return item[0] in {c.LITERAL, c.NOT_LITERAL, c.ANY, c.IN}


def build_character_test(item: Any, flags: int) -> Callable[[str], bool]:  # noqa: ANN401 - Python's tree
    """Return the test of one character that a node of the tree is."""
    kind, value = item
    if kind is c.ANY:
        return (lambda _: True) if flags & c.SRE_FLAG_DOTALL else (lambda sign: sign != "\n")
    parts = [item] if kind is not c.IN else list(value)
    absent = kind is c.NOT_LITERAL or parts[0][0] is c.NEGATE
    tests = [_build_part_test(part) for part in parts if part[0] is not c.NEGATE]
    fold = bool(flags & c.SRE_FLAG_IGNORECASE)
    cache: dict[str, bool] = {}

    def fits(sign: str) -> bool:
        if sign not in cache:
            signs = {sign, sign.lower(), sign.upper()} if fold else {sign}
            cache[sign] = any(test(form) for test in tests for form in signs) != absent
        return cache[sign]

    return fits


def _build_part_test(part: Any) -> Callable[[str], bool]:  # noqa: ANN401 - Python's tree
    kind, value = part
    if kind in {c.LITERAL, c.NOT_LITERAL}:
        return lambda sign: sign == chr(value)
    if kind is c.RANGE:
        return lambda sign: len(sign) == 1 and value[0] <= ord(sign) <= value[1]
    name = str(value)
    plain = {"DIGIT": str.isdecimal, "SPACE": str.isspace, "WORD": is_word}
    test = plain[name.removeprefix("CATEGORY_").removeprefix("NOT_")]
    return (lambda sign: not test(sign)) if "NOT_" in name else test


def is_word(sign: str) -> bool:
    """Say whether a character belongs to a word."""
    return sign == "_" or sign.isalnum()
