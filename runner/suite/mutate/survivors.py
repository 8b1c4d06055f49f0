"""The explanations of mutants that survive, in an eval's calibration/survivors.toml."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from records.shapes.base import Record
from runner.evals.text_files import read_settings
from runner.suite.mutate.mutant import Mutant


class Explanation(Record):
    """The reason why mutants survive. It applies to each mutant that has all the given fields.

    A mutant is identified by its operator, file, function and the text of the changed line in the
    reference, and not by the number of the line, which other edits change.
    """

    operator: Annotated[str, Field(min_length=1)]
    file: str | None = None
    function: str | None = None
    """The name of the top-level definition that contains the line."""
    line: str | None = None
    """The text of the line in the reference, without the blanks around it."""
    change: str | None = None
    """The replacement as `suite mutate` prints it; needed if a line has several mutants."""
    because: Literal["equivalent", "accepted"]
    """``equivalent``: the mutant behaves like the reference, so no test can find it. ``accepted``:
    the mutant behaves differently, but the task permits this, or a test would cost too much; it
    counts as survived."""
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
    """Return the explanations of an eval; empty if there is no file.

    Raises:
        InvalidEvalError: the file is invalid; the message names the field.
    """
    explained = read_settings(folder / "calibration" / "survivors.toml", _Explained)
    return explained.survivor if explained else ()


def find_stale_explanations(
    explanations: Sequence[Explanation], every: Sequence[Mutant]
) -> list[Explanation]:
    """Return the explanations that apply to none of the mutants."""
    return [each for each in explanations if not any(map(each.explains, every))]
