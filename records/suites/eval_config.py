"""Shape of an eval's `eval.toml`, which the runner uses and the site shows in part."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from records.shapes.base import Record
from records.suites.time_limits import EvalLimits


class Pipeline(StrEnum):
    """The steps of grading of an eval."""

    FULL = "full"
    STATIC = "static"
    """All steps but deploy; the tests read only files."""


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
