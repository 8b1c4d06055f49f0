"""Explanations of mutants that survive: calibration/survivors.toml beside an eval."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import tomli
from pydantic import Field

from records.files.problems import InvalidFieldsError, validate_fields
from records.shapes.base import Record
from runner.errors import InvalidEvalError
from runner.suite.mutate.mutant import Mutant


class Explanation(Record):
    """Why mutants of one kind survive; it stands for each that agrees with all it names.

    A mutant is known by its operator, its file, its function and the line it changes, as that
    stands in the reference: not by its number, which changes with every edit.
    """

    operator: Annotated[str, Field(min_length=1)]
    file: str | None = None
    function: str | None = None
    """The exported name that the line belongs to."""
    line: str | None = None
    """The text of the reference's line, without the blanks around it."""
    change: str | None = None
    """What is replaced by what, as `suite mutate` prints it; where a line has several mutants."""
    because: Literal["equivalent", "accepted"]
    """``equivalent``: the mutant does the same, so nothing could tell it from the reference.
    ``accepted``: it does something else, and the task leaves that open or the price of a test is
    too high; it counts as survived."""
    reason: Annotated[str, Field(min_length=1)]

    def explains(self, mutant: Mutant) -> bool:
        """Return true if the explanation applies to a mutant."""
        return (
            self.operator == mutant.operator
            and self.file in {None, mutant.path}
            and self.function in {None, mutant.function}
            and self.line in {None, mutant.before}
            and self.change in {None, mutant.change}
        )

    def __str__(self) -> str:
        """Return the fields that identify the mutants, in one line."""
        fields = [self.operator, self.file, self.function, self.line, self.change]
        return ", ".join(part for part in fields if part is not None)


class _Explained(Record):
    survivor: tuple[Explanation, ...] = ()


def read_explanations(folder: Path) -> tuple[Explanation, ...]:
    """Return the explanations beside an eval; empty where there is no file.

    Raises:
        InvalidEvalError: the file is invalid; the message names the field.
    """
    path = folder / "calibration" / "survivors.toml"
    try:
        fields = tomli.loads(path.read_text(encoding="utf-8"))
        return validate_fields(fields, _Explained, _Explained.model_validate).survivor
    except FileNotFoundError:
        return ()
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidEvalError(f"{path}: is not TOML: {error}") from error
    except InvalidFieldsError as error:
        raise InvalidEvalError(f"{path}: {error}") from error


def stale(explanations: Sequence[Explanation], every: Sequence[Mutant]) -> list[Explanation]:
    """Return the explanations of mutants that the reference no longer has."""
    return [each for each in explanations if not any(map(each.explains, every))]
