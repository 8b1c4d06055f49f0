"""Shape of an eval's `calibration.toml`: answers that its grader must pass or must fail.

The runner grades these answers. The site shows each with the test that fails it.
"""

from typing import Self

from pydantic import Field, model_validator

from records.shapes.attempt import StepName
from records.shapes.base import Record


class CalibrationVariant(Record):
    """An answer that must pass, written as a change of the reference."""

    reason: str = Field(min_length=1)
    """The difference from the reference, in words."""
    diff: dict[str, str] = Field(default_factory=dict)
    """The changes in files of the reference, by path: see ``runner/evals/line_diff.py``."""
    delete: tuple[str, ...] = ()
    """Files of the reference that the variant leaves out."""


class WrongVariant(CalibrationVariant):
    """An answer that must fail."""

    step: StepName
    """The first step that fails."""
    tests: tuple[str, ...] = ()
    """Tests that must fail, if the step is ``tests``."""

    @model_validator(mode="after")
    def _tests_belong_to_their_step(self) -> Self:
        if self.step is StepName.TESTS and not self.tests:
            raise ValueError('with step = "tests", name the tests that must fail in `tests`')
        if self.step is not StepName.TESTS and self.tests:
            raise ValueError('`tests` may be named only with step = "tests"')
        return self


class CalibrationConfig(Record):
    """The contents of calibration.toml, by the variants' names."""

    passing: dict[str, CalibrationVariant] = Field(default_factory=dict, alias="pass")
    failing: dict[str, WrongVariant] = Field(default_factory=dict, alias="fail")
