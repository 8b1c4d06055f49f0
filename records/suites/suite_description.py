"""Shape of the texts of a suite that is kept elsewhere, for the pages of its evals."""

from typing import Annotated, Final, Literal

from pydantic import Field

from records.shapes.base import BenchmarkId, EvalName, Moment, Name, Record
from records.suites.eval_config import Pipeline

SUITE_DESCRIPTION_VERSION: Final = 1
"""The schema version of every new description."""


class DescribedEval(Record):
    """An eval of a suite that is kept elsewhere."""

    title: Name
    """The eval's name for readers, made of the name of its folder."""
    pipeline: Pipeline
    """The steps of its grading."""
    task: str
    """The task, as models get it."""
    reference: dict[str, str]
    """The text of each file of the reference answer, by path."""
    tests: tuple[str, ...]
    """Titles of its tests as in the grader's text, `describe > test`. Placeholders of tests that
    have a table of cases stay as they are, such as `%s`."""


class SuiteDescription(Record):
    """The texts of a benchmark version whose suite is kept elsewhere."""

    schema_version: Literal[1]
    """Version of this shape."""
    version: BenchmarkId
    """The benchmark version."""
    name: Name
    """The name of the suite's folder."""
    described_at: Moment
    """When the texts were read. If several versions have an eval, pages show the newest texts."""
    evals: Annotated[dict[EvalName, DescribedEval], Field(min_length=1)]
    """All evals by name."""
