"""Findings of checks, and the checks that apply to all kinds of records."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from records.errors import InvalidRecordError, RecordsError
from records.reader import find_duplicate_keys, read_bytes

Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a file, for its owner to fix."""

    path: Path
    field: str
    """A dotted path, or empty for the whole file."""
    reason: str
    line: int | None = None
    """The number of the field's line, in files that people write."""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        where = f"{place}: {self.field}" if self.field else place
        return f"{where}: {self.reason}"


def try_reading(
    problems: list[Problem], path: Path, read: Callable[[Path], Content]
) -> Content | None:
    """Return the content of a file; if it cannot be read, add a problem and return None."""
    try:
        return read(path)
    except InvalidRecordError as error:
        problems.append(Problem(path, error.field, error.reason, error.line))
    except RecordsError as error:
        problems.append(Problem(path, "", str(error).removeprefix(f"{path}: ")))
    return None


def read_at_their_places(
    problems: list[Problem],
    paths: Iterable[Path],
    read: Callable[[Path], Content],
    field: str,
    get_path: Callable[[str], Path],
) -> Iterator[tuple[Path, Content]]:
    """Yield the path and the record of each JSON file that can be read.

    A problem is added for each other file. Problems of paths and of repeated keys are added, too.

    Args:
        problems: the list to which problems are added.
        paths: the files.
        read: the function that reads a file.
        field: the field of a record from which its path is made.
        get_path: the function that returns the correct path for a value of that field.
    """
    for path in paths:
        record = try_reading(problems, path, read)
        if record is not None:
            problems += find_misplaced(path, field, get_path(getattr(record, field)))
            problems += find_repeated_keys(path, read_bytes(path))
            yield path, record


def find_misplaced(path: Path, field: str, expected: Path) -> Iterator[Problem]:
    """Yield a problem if a record is not at the path that its content demands."""
    if path != expected:
        yield Problem(path, field, f"belongs at {expected} by its content")


def find_repeated_keys(path: Path, data: bytes) -> Iterator[Problem]:
    """Yield a problem for each key that occurs more than once in an object of a JSON file."""
    for name in find_duplicate_keys(data):
        yield Problem(path, name, "is repeated in one object")
