"""Readers of fields of strangers' records that raise an error with the reason for a wrong type."""

import json
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

from pydantic import ValidationError

from records.files.json_limits import MOST_ITEMS, find_excess
from records.files.problems import describe_first_problem

_MILLISECONDS: Final = 1e11
"""A larger number is milliseconds since 1970; as seconds, it would be after the year 5138."""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A part of a file that was not read."""

    path: Path
    line: int
    """Number of the line, from 1; 0 for the whole file."""
    reason: str
    wrong: bool = True
    """True if the part is faulty; false if it is left out for another reason."""
    left_out: str | None = None
    """The kind of the part in counts of parts left out; None if it is not counted."""

    def __str__(self) -> str:
        location = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{location}: {self.reason}"


class UnknownShapeError(ValueError):
    """A line or a file does not have the shape that the importer reads."""


UNREADABLE: Final = (UnknownShapeError, ValidationError, RecursionError)
"""The errors of readers for a part that cannot be read."""


def describe_error(error: Exception) -> str:
    """Return the reason in an error of `UNREADABLE`."""
    if isinstance(error, ValidationError):
        return describe_first_problem(error)
    return "is nested too deeply" if isinstance(error, RecursionError) else str(error)


@contextmanager
def locate_errors(location: str) -> Generator[None]:
    """Add ``location`` to the reason of an UnknownShapeError in the block.

    Raises:
        UnknownShapeError: the block raised it.
    """
    try:
        yield
    except UnknownShapeError as error:
        raise UnknownShapeError(f"{location}: {error}") from error


def require_text(fields: Mapping[str, Any], name: str) -> str:
    """Return the text of a field.

    Raises:
        UnknownShapeError: the field is missing, or is not a text.
    """
    value = fields.get(name)
    if not isinstance(value, str):
        raise UnknownShapeError(f"{name} is no text")
    return value


def require_object(value: object, name: str) -> Mapping[str, Any]:
    """Return ``value``, which must be an object.

    Raises:
        UnknownShapeError: the value is not an object; the message has ``name``.
    """
    if not isinstance(value, dict):
        raise UnknownShapeError(f"{name} is no object")
    return cast("Mapping[str, Any]", value)


def require_list(value: object, name: str) -> list[object]:
    """Return ``value``, which must be a list.

    Raises:
        UnknownShapeError: the value is not a list; the message has ``name``.
    """
    if not isinstance(value, list):
        raise UnknownShapeError(f"{name} is no list")
    return cast("list[object]", value)


def parse_json(text: str, name: str) -> object:
    """Return the parsed value of a text in a record that is JSON itself.

    Raises:
        UnknownShapeError: the text is not JSON, or has too many values.
    """
    if excess := find_excess(text.encode("utf-8", "replace"), MOST_ITEMS):
        raise UnknownShapeError(f"{name} {excess}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnknownShapeError(f"{name} is not JSON: {error}") from error


def list_objects(value: object) -> list[Mapping[str, Any]]:
    """Return the objects in a list; none if ``value`` is not a list."""
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Mapping[str, Any]", item) for item in listed if isinstance(item, dict)]


def parse_moment(value: object) -> datetime | None:
    """Return a time from ISO 8601, or from milliseconds or seconds since 1970; else None."""
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value)
            return time if time.tzinfo else time.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if value > _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def find_folder_name(path: object) -> str | None:
    """Return the last name of a path, also of Windows; None if ``path`` is not a path."""
    if not isinstance(path, str):
        return None
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1] or None
