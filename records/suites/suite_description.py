"""The texts of a suite that is kept elsewhere, for the pages of its evals."""

from typing import Annotated, Final, Literal

from pydantic import Field

from records.shapes.base import BenchmarkId, EvalName, Moment, Name, Record
from records.suites.eval_config import Pipeline

SUITE_DESCRIPTION_VERSION: Final = 1
"""The version of the shape that this program writes."""


class DescribedEval(Record):
    """An eval of a suite that is kept elsewhere."""

    title: Name
    """For a reader, made of the name of the eval's folder."""
    pipeline: Pipeline
    """Which steps it goes through."""
    task: str
    """The task, as models get it."""
    reference: dict[str, str]
    """The text of each file of the reference answer, by path."""
    tests: tuple[str, ...]
    """Titles of its tests as the grader's text has them: `describe > test`, with placeholders of
    tables of tests (`%s`) as they are written."""


class SuiteDescription(Record):
    """The texts of a benchmark version whose suite is kept elsewhere."""

    schema_version: Literal[1]
    """Version of this shape."""
    version: BenchmarkId
    """The benchmark version."""
    name: Name
    """The name of the suite's folder."""
    described_at: Moment
    """When the texts were read. Where several versions have an eval, pages show the newest."""
    evals: Annotated[dict[EvalName, DescribedEval], Field(min_length=1)]
    """Every eval by its name."""
