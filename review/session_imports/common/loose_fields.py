"""Fields of strangers' records that may be missing or of any type: read without a complaint."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar, cast

from records.shapes.base import LARGEST_COUNT
from records.text.visible import one_line

_LONGEST_KIND: Final = 60
"""Characters of a kind in ``left_out``; a longer kind is cut off there."""
_Number = TypeVar("_Number", int, float)


def kind_name(kind: str) -> str:
    """Return a kind as it is counted: one short line of visible characters."""
    return one_line(kind, _LONGEST_KIND) or "unknown"


def sum_known(numbers: Iterable[_Number | None]) -> _Number | None:
    """Return the sum of the numbers that are known; None where none is."""
    terms = [number for number in numbers if number is not None]
    return sum(terms[1:], terms[0]) if terms else None


def arguments_text(arguments: object) -> str:
    """Return the arguments of a call as the JSON text that a session keeps."""
    if isinstance(arguments, str):
        return arguments
    return json.dumps({} if arguments is None else arguments, ensure_ascii=False)


def count_at(fields: Mapping[str, Any], name: str) -> int | None:
    """Return a number of tokens; None where the field is no whole number from 0 on."""
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= LARGEST_COUNT else None


def optional_text(fields: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of some fields that is a text and not blank."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return None


def unique_name(value: object) -> str | None:
    """Return a name that no other file will use by chance; none of a short one such as a number."""
    long_enough: Final = 16
    return value if isinstance(value, str) and len(value.strip()) >= long_enough else None


def as_fields(value: object) -> Mapping[str, Any]:
    """Return an object as it is, and an empty object in the place of any other value."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def as_items(value: object) -> list[object]:
    """Return a list as it is, and an empty list in the place of any other value."""
    return cast("list[object]", value) if isinstance(value, list) else []


def word_at(fields: Mapping[str, Any], *names: str) -> str:
    """Return the first of some fields that is a text, and an empty text where none is."""
    return next((fields[name] for name in names if isinstance(fields.get(name), str)), "")


def object_at(fields: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the object in a field, and an empty object where there is none."""
    return as_fields(fields.get(name))


def length_at(fields: Mapping[str, Any], name: str) -> int:
    """Return the length of the list in a field, and 0 where it is none."""
    return len(as_items(fields.get(name)))
