"""An eval's `eval.toml`: the runner obeys it, the site shows a part of it."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from records.base import Record

_Limit = Annotated[float, Field(gt=0, le=600)]


class Pipeline(StrEnum):
    """Which steps an eval goes through."""

    FULL = "full"
    STATIC = "static"
    """Without the deploy step: the tests look at files only."""


class EvalLimits(Record):
    """Longest time of each step, in seconds."""

    deploy_s: _Limit = 30
    typecheck_s: _Limit = 60
    lint_s: _Limit = 60
    tests_s: _Limit = 60


class EvalConfig(Record):
    """What eval.toml says."""

    title: Annotated[str, Field(min_length=1, max_length=80)]
    concept: Annotated[str, Field(min_length=1)]
    """What is measured."""
    why: Annotated[str, Field(min_length=1)]
    """Why it matters in production."""
    guidelines: tuple[str, ...]
    """Slugs of the sections of guidelines.md that the eval exercises."""
    pipeline: Pipeline = Pipeline.FULL
    limits: EvalLimits = EvalLimits()
