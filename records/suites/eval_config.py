"""An eval's `eval.toml`: the runner obeys it, the site shows a part of it."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from records.shapes.base import Record
from records.suites.time_limits import EvalLimits


class Pipeline(StrEnum):
    """Which steps an eval goes through."""

    FULL = "full"
    STATIC = "static"
    """Without the deploy step: the tests look at files only."""


class EvalConfig(Record):
    """The contents of eval.toml."""

    title: Annotated[str, Field(min_length=1, max_length=80)]
    concept: Annotated[str, Field(min_length=1)]
    """The measured skill."""
    why: Annotated[str, Field(min_length=1)]
    """Why it matters in production."""
    guidelines: tuple[str, ...]
    """Slugs of the sections of guidelines.md that the eval exercises."""
    pipeline: Pipeline = Pipeline.FULL
    limits: EvalLimits = EvalLimits()
