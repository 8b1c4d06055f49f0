"""Shape of a description: texts of a suite in another repository, for the pages of its evals."""

from typing import Annotated, Final, Literal

from pydantic import Field

from records.shapes.base import BenchmarkId, EvalName, Moment, Name, Record
from records.suites.eval_config import Pipeline

SUITE_DESCRIPTION_VERSION: Final = 1
"""The schema version of every new description."""


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
