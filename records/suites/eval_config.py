"""Shape of an eval's `eval.toml`, which the runner uses and the site shows in part."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from records.files.problems import validate_fields
from records.shapes.base import Record
from records.suites.suite_config import GraderChanges, GraderProgram
from records.suites.time_limits import EvalLimits


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
    return validate_fields(fields, shape, shape.model_validate)
