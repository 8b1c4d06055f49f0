"""Fields of JSON that another program wrote: each may be missing, or of any type.

Functions whose names begin with as, get, find and list treat a wrong value as a missing one.
Functions whose names begin with require raise an error with the place of the value.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from records.files.json_limits import MOST_ITEMS, find_excess
from records.shapes.base import LARGEST_COUNT, replace_surrogates

LONGEST_WORD = 200
"""Characters that are kept of a word, such as a finish reason."""
_MILLISECONDS = 1e11
"""A larger number since 1970 counts milliseconds: as seconds it would be the year 5138."""
_FIRST_SECOND = 1e8
"""A smaller number since 1970, before 1973, is no time of a run or session, but a date such as
20261127, or a time since another beginning."""
_SINCE_1970 = re.compile(r"[0-9]{9,30}(?:\.[0-9]{0,30})?")
_HALF = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
"""A half of a surrogate pair in JSON, as an escape or by itself."""

Fields = Mapping[str, Any]
"""A JSON object of another program."""


class UnknownShapeError(ValueError):
    """A value, a record or a file does not have the shape that is read."""

    def __init__(self, reason: str, place: str = "", value: object = None) -> None:
        """Keep the reason, the place of the value (empty for the whole), and the value."""
        super().__init__(f"{place} {reason}" if place else reason)
        self.place = place
        self.reason = reason
        self.value = value


def as_fields(value: object) -> Fields:
    """Return ``value`` if it is an object, or else an empty object."""
    return cast("Fields", value) if isinstance(value, dict) else {}


def as_items(value: object) -> list[object]:
    """Return ``value`` if it is a list, or else an empty list."""
    return cast("list[object]", value) if isinstance(value, list) else []


def as_count(value: object) -> int | None:
    """Return ``value`` as a count; None if it is not a whole number that a record can hold."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= LARGEST_COUNT else None


def as_dollars(value: object) -> float | None:
    """Return ``value`` as dollars; None if it is not a number, or negative, too large or NaN."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= LARGEST_COUNT else None


def as_word(value: object) -> str | None:
    """Return a name as one line of at most 200 characters; None if it is null or empty.

    Any other value, such as a number or a list, is returned as its JSON text, which shows that the
    field was not empty.
    """
    if value is None or value == "":
        return None
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return " ".join(join_surrogates(text[: 2 * LONGEST_WORD]).split())[:LONGEST_WORD] or None


def get_object(fields: Fields, name: str) -> Fields:
    """Return the object in a field, or else an empty object."""
    return as_fields(fields.get(name))


def get_count(fields: Fields, name: str) -> int | None:
    """Return the count in a field; None if there is none."""
    return as_count(fields.get(name))


def get_text(fields: Fields, *names: str) -> str:
    """Return the first of the named fields that is a text, or else an empty text."""
    return next((fields[name] for name in names if isinstance(fields.get(name), str)), "")


def find_text(fields: Fields, *names: str) -> str | None:
    """Return the first of the named fields that is a text and not blank; None if there is none."""
    texts = (fields.get(name) for name in names)
    return next((text for text in texts if isinstance(text, str) and text.strip()), None)


def find_count(*values: object) -> int | None:
    """Return the first of ``values`` that is a count; None if there is none."""
    return next((count for value in values if (count := as_count(value)) is not None), None)


def list_objects(value: object) -> list[Fields]:
    """Return the objects in a list; none if ``value`` is not a list."""
    return [cast("Fields", item) for item in as_items(value) if isinstance(item, dict)]


def count_items(fields: Fields, name: str) -> int:
    """Return the length of the list in a field; 0 if the field has no list."""
    return len(as_items(fields.get(name)))


def require_text(fields: Fields, name: str) -> str:
    """Return the text of a field.

    Raises:
        UnknownShapeError: the field is missing, or is not a text.
    """
    value = fields.get(name)
    if not isinstance(value, str):
        raise UnknownShapeError("is no text", name, value)
    return value


def require_text_or_null(value: object, place: str) -> str:
    """Return a text; an empty one for null.

    Raises:
        UnknownShapeError: the value is neither a text nor null.
    """
    return "" if value is None else require_text({place: value}, place)


def require_object(value: object, place: str) -> Fields:
    """Return ``value``, which must be an object.

    Raises:
        UnknownShapeError: the value is not an object.
    """
    if not isinstance(value, dict):
        raise UnknownShapeError("is no object" if place else "is no JSON object", place, value)
    return cast("Fields", value)


def require_list(value: object, place: str) -> list[object]:
    """Return ``value``, which must be a list.

    Raises:
        UnknownShapeError: the value is not a list.
    """
    if not isinstance(value, list):
        raise UnknownShapeError("is no list", place, value)
    return cast("list[object]", value)


def require_objects(value: object, place: str) -> Sequence[Fields]:
    """Return a list of objects; a single object becomes a list, and null an empty one.

    Raises:
        UnknownShapeError: the value is something else, or the list has another item.
    """
    if value is None:
        return ()
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    return [require_object(item, place) for item in items]


def parse_json(data: bytes | str, place: str = "") -> object:
    """Return a JSON value, with ``?`` for each half of a surrogate pair, which no file can hold.

    Raises:
        UnknownShapeError: the text is no JSON, or has too many values or levels.
    """
    encoded = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if excess := find_excess(encoded, MOST_ITEMS):
        raise UnknownShapeError(excess, place)
    try:
        value = json.loads(encoded.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise UnknownShapeError(f"is not JSON: {error}", place) from error
    return replace_halves(value) if _HALF.search(encoded) else value


def replace_halves(value: object) -> object:
    """Return a JSON value with ``?`` for each half of a surrogate pair in its texts and names."""
    if isinstance(value, list):
        return [replace_halves(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {
            str(replace_surrogates(name)): replace_halves(each) for name, each in fields.items()
        }
    return replace_surrogates(value)


def join_surrogates(text: str) -> str:
    """Return ``text`` with surrogate pairs joined to characters, and single halves replaced.

    JSON may write a character as two halves, which a provider may send in two pieces.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def parse_moment(value: object) -> datetime | None:
    """Return a time in ISO 8601, or in seconds or milliseconds since 1970; None for other values.

    A time without an offset is in UTC.
    """
    try:
        if isinstance(value, str) and not _SINCE_1970.fullmatch(value):
            moment = datetime.fromisoformat(value)
            return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            number = float(value)
            seconds = number / 1000 if number > _MILLISECONDS else number
            return datetime.fromtimestamp(seconds, UTC) if seconds >= _FIRST_SECOND else None
    except (ValueError, OverflowError, OSError):
        return None
    return None


def parse_dollars(text: object) -> float | None:
    """Return the dollars in the text of a header; None if it has no valid amount."""
    try:
        return as_dollars(float(text)) if isinstance(text, str) else None
    except ValueError:
        return None
