"""A maintainer's analysis of one run: markdown below YAML front matter."""

from datetime import date
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from records.files.front_matter import join
from records.shapes.attempt import StepName
from records.shapes.base import BenchmarkId, Count, EvalName, Name, OutsideText, Record, RunId
from records.shapes.failure_classes import FailureClass

REPORT_VERSION: Final = 2
"""The schema version of every new report."""


class Proposal(Record):
    """The class that a model proposes for a failure, until a person has looked."""

    failure_class: Annotated[FailureClass, Field(alias="class")]
    """Whose fault it may be."""
    reason: OutsideText
    """Why, in the model's words."""
    by: Name
    """The model that was asked."""


class ClassedFailure(Record):
    """One failed eval of the run."""

    eval: EvalName
    """The eval that failed."""
    sample: Annotated[int, Field(ge=1)] | None = None
    """Which sample of it; null for every failed sample."""
    step: StepName | None = None
    """The step that failed; null where an import's publisher did not name it."""
    failure_class: Annotated[FailureClass | None, Field(alias="class")] = None
    """Whose fault it is; null (left out) where nobody has looked yet."""
    note: str = ""
    """The fault, in a sentence or two."""
    message: OutsideText | None = None
    """The grader's message."""
    proposal: Proposal | None = None
    """The proposal of a model; it counts for nothing until a person writes a class."""


class Report(Record):
    """One report: its front matter, and the markdown below it."""

    schema_version: Literal[2]
    """Version of this shape."""
    run: RunId
    """The run that was analysed."""
    draft: bool = False
    """Whether the analysis is unfinished: failures may be without a class yet, and the published
    site leaves the report out; previews show it."""
    benchmark_version: BenchmarkId | None = None
    """The run's; null where it is not stated."""
    experiment: Name | None = None
    """The run's; null where it is not stated."""
    author: Name
    """Who wrote it."""
    date: date
    """The day it was written; also in the file's name."""
    title: Name | None = None
    """A headline; null for the model's name and the date."""
    source: str | None = None
    """Where the analysis was published first, if it was not here."""
    planned: Annotated[Count, Field(ge=1)]
    """How many attempts the run planned."""
    passed: Count
    """How many of them passed."""
    failures: tuple[ClassedFailure, ...] = ()
    """Each eval with a failed attempt, once, or once for each failed sample."""
    mended: tuple[ClassedFailure, ...] = ()
    """Failures that are none any more since the run was graded again, as they were classed."""
    patterns: tuple[str, ...] = ()
    """The common traits of several failures."""
    actions: tuple[str, ...] = ()
    """The changes, made or proposed: in a grader, a task, the guidelines."""
    net_impact: str | None = None
    """The effect of the actions on the score, in a sentence."""
    text: str
    """The markdown below the front matter."""

    @model_validator(mode="after")
    def _passes_were_planned(self) -> Self:
        if self.passed > self.planned:
            raise ValueError(f"passed is {self.passed}, of {self.planned} planned")
        return self

    @model_validator(mode="after")
    def _failures_are_listed_once(self) -> Self:
        places = [(failure.eval, failure.sample or 0) for failure in self.failures]
        if repeated := sorted({place for place in places if places.count(place) > 1}):
            raise ValueError(f"failures listed twice: {', '.join(name for name, _ in repeated)}")
        return self


def report_name(report: Report) -> str:
    """Return the file name that a report has by its content."""
    return f"{report.run[:8]}_{report.date.isoformat()}.md"


def report_text(report: Report) -> str:
    """Return a report as the text of its file."""
    fields = report.model_dump(mode="json", by_alias=True, exclude={"text", "date"})
    fields["date"] = report.date
    # A failure without a class keeps its empty field in the file, for a person to fill in.
    for name in ("failures", "mended"):
        fields[name] = [
            {"eval": entry["eval"], "class": entry["class"], **_filled(entry)}
            for entry in fields[name]
        ]
    ordered = {name: fields[name] for name in Report.model_fields if name in fields}
    return join(_filled(ordered), report.text)


def slug_of_report(path: Path) -> str:
    """Return the slug of the model that the report at ``path`` is about, by its place."""
    return f"{path.parent.parent.name}/{path.parent.name}"


def _filled(fields: dict[str, object]) -> dict[str, object]:
    """Return the fields with a value: null, empty and false fields are left out."""
    return {
        name: value
        for name, value in fields.items()
        if value is not None and value is not False and value != []
    }
