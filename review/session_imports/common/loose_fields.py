"""Readers of fields of strangers' records that may be missing or of any type, without errors."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar, cast

from records.shapes.base import LARGEST_COUNT
from records.text.visible import make_one_line

_LONGEST_KIND: Final = 60
"""Characters of a kind in ``left_out``; a longer kind is cut off."""
_Number = TypeVar("_Number", int, float)


def shorten_kind(kind: str) -> str:
    """Return the name of a kind for counts: one short line of visible characters."""
    return make_one_line(kind, _LONGEST_KIND) or "unknown"


def sum_known(numbers: Iterable[_Number | None]) -> _Number | None:
    """Return the sum of the known numbers; None if none is known."""
    terms = [number for number in numbers if number is not None]
    return sum(terms[1:], terms[0]) if terms else None


def format_arguments(arguments: object) -> str:
    """Return the arguments of a call as the JSON text for a session."""
    if isinstance(arguments, str):
        return arguments
    return json.dumps({} if arguments is None else arguments, ensure_ascii=False)


def get_count(fields: Mapping[str, Any], name: str) -> int | None:
    """Return a number of tokens; None if the field is not a whole number from 0 on."""
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= LARGEST_COUNT else None


def find_text(fields: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of the named fields that is a text and not blank; None if there is none."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return None


def as_unique_name(value: object) -> str | None:
    """Return a name if it is long enough to be unique; None for short names, such as numbers."""
    long_enough: Final = 16
    return value if isinstance(value, str) and len(value.strip()) >= long_enough else None


def as_fields(value: object) -> Mapping[str, Any]:
    """Return ``value`` if it is an object, or else an empty object."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def as_items(value: object) -> list[object]:
    """Return ``value`` if it is a list, or else an empty list."""
    return cast("list[object]", value) if isinstance(value, list) else []


def get_text(fields: Mapping[str, Any], *names: str) -> str:
    """Return the first of the named fields that is a text, or else an empty text."""
    return next((fields[name] for name in names if isinstance(fields.get(name), str)), "")


def get_object(fields: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the object in a field, or else an empty object."""
    return as_fields(fields.get(name))


def count_items(fields: Mapping[str, Any], name: str) -> int:
    """Return the length of the list in a field; 0 if the field has no list."""
    return len(as_items(fields.get(name)))
