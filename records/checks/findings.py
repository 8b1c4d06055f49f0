"""Findings of checks of records, and the checks that records of all kinds pass."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from records.errors import InvalidRecordError, RecordsError
from records.reader import duplicate_keys, read_bytes

Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault to mend in a file."""

    path: Path
    field: str
    """A dotted path, or empty for the whole file."""
    reason: str

    def __str__(self) -> str:
        where = f"{self.path}: {self.field}" if self.field else str(self.path)
        return f"{where}: {self.reason}"


def try_reading(
    problems: list[Problem], path: Path, read: Callable[[Path], Content]
) -> Content | None:
    """Return the content of a file; None with a problem more where it cannot be read."""
    try:
        return read(path)
    except InvalidRecordError as error:
        problems.append(Problem(path, error.field, error.reason))
    except RecordsError as error:
        problems.append(Problem(path, "", str(error).removeprefix(f"{path}: ")))
    return None


def read_at_its_place(
    problems: list[Problem],
    path: Path,
    read: Callable[[Path], Content],
    field: str,
    place: Callable[[str], Path],
) -> Content | None:
    """Return the record of a JSON file; None with a problem more where it cannot be read.

    Args:
        problems: get the faults of the file's place and keys, too.
        path: the file.
        read: reads it.
        field: the field of the record that names it.
        place: returns the place of the record of a name.
    """
    record = try_reading(problems, path, read)
    if record is not None:
        problems += find_misplaced(path, field, place(getattr(record, field)))
        problems += find_repeated_keys(path, read_bytes(path))
    return record


def find_misplaced(path: Path, field: str, expected: Path) -> Iterator[Problem]:
    """Yield a problem where a record is not at the place that its content gives it."""
    if path != expected:
        yield Problem(path, field, f"belongs at {expected} by its content")


def find_repeated_keys(path: Path, data: bytes) -> Iterator[Problem]:
    """Yield a problem for each key that stands twice in an object of a JSON file."""
    for name in duplicate_keys(data):
        yield Problem(path, name, "stands twice in one object")
