"""Errors of this package: faults in the files of the data folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Self


class RecordsError(Exception):
    """A fault in the data folder that its owner must fix. The message names fault and file."""

    def __init__(self, message: str, details: Sequence[str] = ()) -> None:
        """Take the message and the lines that are shown below it, such as similar run ids."""
        super().__init__(message)
        self.details = tuple(details)


class InvalidRecordError(RecordsError):
    """A file cannot be read, or its content is not valid for its path; also as a value in lists."""

    def __init__(self, path: Path, field: str, reason: str, line: int | None = None) -> None:
        """Name the file, the field (a dotted path, or ``""`` for the whole file) and the reason.

        ``line`` is the number of the field's line, in files that people write.
        """
        place = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{place}: {field}: {reason}" if field else f"{place}: {reason}")
        self.path = path
        self.field = field
        self.reason = reason
        self.line = line

    def __reduce__(self) -> tuple[type[Self], tuple[Path, str, str, int | None]]:
        """Return the arguments of the constructor, so that the error can be copied."""
        return type(self), (self.path, self.field, self.reason, self.line)


class MissingRecordError(RecordsError):
    """The data folder does not have the requested record."""


class AmbiguousRunError(RecordsError):
    """The given beginning of an id fits several records, or is too short."""


class RunInUseError(RecordsError):
    """Another process is executing this run."""
