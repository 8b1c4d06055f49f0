"""Shapes of an eval's files: `eval.toml`, `calibration.toml`, and its texts kept elsewhere."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from records.files.problems import validate_fields
from records.shapes.attempt import StepName
from records.shapes.base import BenchmarkId, EvalName, LeftOut, Moment, Name, Record
from records.suites.levels import Level
from records.suites.suite_config import GraderChanges, GraderProgram

_Limit = Annotated[float, Field(gt=0, le=600)]


class EvalLimits(Record):
    """The longest time of each step, in seconds."""

    deploy_s: _Limit = 30
    typecheck_s: _Limit = 60
    lint_s: _Limit = 60
    tests_s: _Limit = 60


class Pipeline(StrEnum):
    """The steps of grading of an eval."""

    FULL = "full"
    STATIC = "static"
    """All steps but deploy; the tests read only files."""
    COMMAND = "command"
    """The filesystem step, then tests by a program of the suite's author."""


class EvalConfig(Record):
    """The contents of eval.toml."""

    title: Annotated[str, Field(min_length=1, max_length=80)]
    concept: Annotated[str, Field(min_length=1)]
    """The measured skill."""
    why: Annotated[str, Field(min_length=1)]
    """Why the skill matters in production."""
    guidelines: tuple[str, ...]
    """Slugs of the sections of guidelines.md that the eval exercises."""
    pipeline: Pipeline = Pipeline.FULL
    limits: EvalLimits = EvalLimits()
    steps: LeftOut[Annotated[int, Field(ge=0, le=9)]] = 0
    """The deploys of an answer one after the other, each in a folder; 0 for a single one."""
    # These two select evals. They change neither question nor verdict, so no digest covers them.
    level: Annotated[Level, Field(exclude=True)] = Level.STANDARD
    held_out: Annotated[bool, Field(exclude=True)] = False
    """Whether no section of the guidelines may be written or changed because of the eval."""


class CommandEvalConfig(EvalConfig):
    """The contents of the eval.toml of an eval with the pipeline `command`."""

    grader: GraderChanges | None = None
    """What differs from the suite's grader; null for nothing."""


class ProgramEvalConfig(EvalConfig):
    """The same contents, with the fields of the suite's grader where eval.toml has no other."""

    grader: GraderProgram


def parse_eval_config(fields: Mapping[str, Any]) -> EvalConfig:
    """Return the configuration that a table of eval.toml holds.

    Raises:
        InvalidFieldsError: a field is missing or wrong.
    """
    is_command = fields.get("pipeline") == Pipeline.COMMAND
    shape = CommandEvalConfig if is_command else EvalConfig
    return validate_fields(fields, shape)


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


class DescribedEval(Record):
    """The texts of an eval whose suite is kept elsewhere."""

    title: Name
    """The eval's name for readers, made from the name of the eval's folder."""
    pipeline: Pipeline
    """The steps of grading that the eval has."""
    task: str
    """The text of the task, exactly as models get it."""
    reference: dict[str, str]
    """The files of the reference answer: the text of each file, by the file's path."""
    tests: tuple[str, ...]
    """The titles of the eval's tests, such as `describe > test`, as in the source text of the
    grader. If a test has a table of cases, its title keeps placeholders such as `%s`."""


class SuiteDescription(Record):
    """The texts of a benchmark version whose suite is kept elsewhere."""

    schema_version: Literal[1]
    """Version of this shape."""
    version: BenchmarkId
    """The benchmark version."""
    name: Name
    """The name of the suite's folder."""
    described_at: Moment
    """The moment when the texts were read. If several versions have an eval, pages show the newest
    texts."""
    evals: Annotated[dict[EvalName, DescribedEval], Field(min_length=1)]
    """All evals of the suite, by name."""
