"""The tree of errors of this floor: the faults that a record can have."""

from collections.abc import Sequence
from pathlib import Path
from typing import Self


class RecordsError(Exception):
    """A fault in the data folder that its owner must fix; the message names fault and place."""

    def __init__(self, message: str, details: Sequence[str] = ()) -> None:
        """Take the message, and lines that are shown below it: what may have been meant."""
        super().__init__(message)
        self.details = tuple(details)


class InvalidRecordError(RecordsError):
    """A file does not hold the record that its place promises."""

    def __init__(self, path: Path, field: str, reason: str) -> None:
        """Name the file, the field (a dotted path, or ``""`` for the whole file) and the reason."""
        super().__init__(f"{path}: {field}: {reason}" if field else f"{path}: {reason}")
        self.path = path
        self.field = field
        self.reason = reason

    def __reduce__(self) -> tuple[type[Self], tuple[Path, str, str]]:
        """Let the error pass from one process to another."""
        return type(self), (self.path, self.field, self.reason)


class MissingRecordError(RecordsError):
    """A record was asked for that the data folder does not hold."""


class AmbiguousRunError(RecordsError):
    """The beginning of a run id fits more than one run."""


class RunInUseError(RecordsError):
    """Another process is executing this run."""


class OlderJournalError(RecordsError):
    """A journal was begun by an earlier version of this program."""
