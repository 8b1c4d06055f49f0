"""Files of an import: all are made and checked before the first is written."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from records.errors import InvalidRecordError
from records.files.problems import describe_first_problem
from records.shapes.run import Run


@dataclass(slots=True)
class PlannedImport:
    """The files that an import is going to write."""

    files: dict[Path, bytes] = field(default_factory=dict[Path, bytes])
    """Contents by path, in the order in which they are written."""
    runs: dict[Path, Run] = field(default_factory=dict[Path, Run])
    """Runs of other benchmarks that are new or changed, by path."""
    seen: dict[Path, Run] = field(default_factory=dict[Path, Run])
    """Runs of other benchmarks in the files so far, those that were there already too, by path."""
    known: int = 0
    """Runs that were there already."""


def keep_withdrawal(before: Run, run: Run) -> Run:
    """Return a run that replaces its record ``before``, with the decisions on that record.

    Nobody has decided anything yet if ``before`` was never withdrawn: then the source decides.
    """
    if before.withdrawn is None and not before.undone_withdrawals:
        return run
    decisions = {"withdrawn": before.withdrawn, "undone_withdrawals": before.undone_withdrawals}
    return run.model_copy(update=decisions)


@contextmanager
def refuse_invalid(path: Path) -> Generator[None]:
    """Refuse the file at ``path`` if no record can be made of it.

    Raises:
        InvalidRecordError: a record does not have its shape.
    """
    try:
        yield
    except ValidationError as error:
        reason = f"cannot be a record: {describe_first_problem(error)}"
        raise InvalidRecordError(path, "", reason) from error
