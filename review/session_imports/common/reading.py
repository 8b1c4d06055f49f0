"""Fields of strangers' records, read with a reason where they are of another type."""

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
from records.files.problems import first_problem

_MILLISECONDS: Final = 1e11
"""A larger number since 1970 counts milliseconds: as seconds it would be the year 5138."""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A part of a file that could not be read; the rest was."""

    path: Path
    line: int
    """From 1; 0 for the whole file."""
    reason: str
    wrong: bool = True
    """It is a mistake of the file; else the file itself asks for the part to be left out."""
    left_out: str | None = None
    """The kind of the part, where it is counted among the parts that are left out."""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{place}: {self.reason}"


class UnknownShapeError(ValueError):
    """A line or a file does not have the shape that the importer reads."""


UNREADABLE: Final = (UnknownShapeError, ValidationError, RecursionError)
"""Errors of the reader of a part that cannot be read."""


def reason_of(error: Exception) -> str:
    """Return the reason that one of the errors in `UNREADABLE` gives."""
    if isinstance(error, ValidationError):
        return first_problem(error)
    return "is nested too deeply" if isinstance(error, RecursionError) else str(error)


@contextmanager
def reading_at(place: str) -> Generator[None]:
    """Put the name of a place before the reason why its part cannot be read.

    Raises:
        UnknownShapeError: the part does not have the shape that its reader reads.
    """
    try:
        yield
    except UnknownShapeError as error:
        raise UnknownShapeError(f"{place}: {error}") from error


def text_at(fields: Mapping[str, Any], name: str) -> str:
    """Return the text of a field.

    Raises:
        UnknownShapeError: it is missing or no text.
    """
    value = fields.get(name)
    if not isinstance(value, str):
        raise UnknownShapeError(f"{name} is no text")
    return value


def object_of(value: object, name: str) -> Mapping[str, Any]:
    """Return ``value`` as an object.

    Raises:
        UnknownShapeError: it is none; the message calls it ``name``.
    """
    if not isinstance(value, dict):
        raise UnknownShapeError(f"{name} is no object")
    return cast("Mapping[str, Any]", value)


def list_of(value: object, name: str) -> list[object]:
    """Return ``value`` as a list.

    Raises:
        UnknownShapeError: it is none; the message calls it ``name``.
    """
    if not isinstance(value, list):
        raise UnknownShapeError(f"{name} is no list")
    return cast("list[object]", value)


def json_of(text: str, name: str) -> object:
    """Return the value that a text within a record holds as JSON.

    Raises:
        UnknownShapeError: it is no JSON, or more than one document may hold.
    """
    if excess := find_excess(text.encode("utf-8", "replace"), MOST_ITEMS):
        raise UnknownShapeError(f"{name} {excess}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnknownShapeError(f"{name} is not JSON: {error}") from error


def objects_in(value: object) -> list[Mapping[str, Any]]:
    """Return the objects of a list, and nothing of anything else."""
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Mapping[str, Any]", item) for item in listed if isinstance(item, dict)]


def moment(value: object) -> datetime | None:
    """Return a moment given in ISO 8601, or in milliseconds or seconds since 1970."""
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


def folder_name(path: object) -> str | None:
    """Return the last name of a folder's path, of Windows too; None where it is no path."""
    if not isinstance(path, str):
        return None
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1] or None
