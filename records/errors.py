"""The tree of errors of this floor: whatever can be wrong with a record."""

from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    # Imported for types only: every command imports this module, and few need pydantic.
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


class RecordsError(Exception):
    """Something in the data folder must be fixed by its owner; the message says what and where."""


class InvalidRecordError(RecordsError):
    """A file does not hold what its place promises."""

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


def problems_of(error: "ValidationError") -> "list[ErrorDetails]":
    """Return the problems of a validation, each without what is large or of no use: its input."""
    return error.errors(include_url=False, include_context=False, include_input=False)


def first_problem(error: "ValidationError") -> str:
    """Return the first problem of a validation as ``field: reason``."""
    problem = problems_of(error)[0]
    field = ".".join(str(part) for part in problem["loc"])
    reason = problem["msg"].removeprefix("Value error, ")
    return f"{field}: {reason}" if field else reason
