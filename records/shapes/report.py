"""Shape of a report, a maintainer's analysis of one run: markdown below YAML front matter."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from records.files.front_matter import join
from records.shapes import base
from records.shapes.attempt import StepName
from records.shapes.failure_classes import FailureClass

REPORT_VERSION = 2
"""The schema version of every new report."""


class Proposal(base.Record):
    """A model's proposal of the class of a failure, for a person to confirm."""

    failure_class: Annotated[FailureClass, Field(alias="class")]
    """The proposed class."""
    reason: base.OutsideText
    """Why, in the model's words."""
    by: base.Name
    """The model that proposes the class."""


class ClassedFailure(base.Record):
    """A failed eval of the run, or one of its failed samples."""

    eval: base.EvalName
    """The eval that failed."""
    sample: base.Positive | None = None
    """Number of the sample; null for all failed samples of the eval."""
    step: StepName | None = None
    """The step that failed; null if the publisher of an imported run did not name it."""
    failure_class: Annotated[FailureClass | None, Field(alias="class")] = None
    """The party at fault; null or left out if nobody has decided yet."""
    note: str = ""
    """The fault, in a sentence or two."""
    message: base.OutsideText | None = None
    """The grader's message."""
    proposal: Proposal | None = None
    """A model's proposal. It has no effect on scores."""

    @property
    def place(self) -> tuple[base.EvalName, int | None]:
        """The eval and the sample, which differ from those of other failures of a report."""
        return self.eval, self.sample


class Report(base.Record):
    """One report: its front matter, and the markdown below it."""

    schema_version: Literal[2]
    """Version of this shape."""
    run: base.RunId
    """The run that was analysed."""
    draft: bool = False
    """Whether the analysis is unfinished. Failures of a draft need no class. The published site
    leaves drafts out, and previews show them."""
    benchmark_version: base.BenchmarkId | None = None
    """The run's benchmark version; null if the report does not state it."""
    experiment: base.Name | None = None
    """The run's experiment; null if the report does not state it."""
    author: base.Name
    """The author of the report."""
    date: date
    """The day on which the report was written; also in the file's name."""
    title: base.Name | None = None
    """A headline; null to use the model's name and the date."""
    source: str | None = None
    """The first publication of the analysis; null if it was first published here."""
    planned: Annotated[base.Count, Field(ge=1)]
    """Number of attempts that the run planned."""
    passed: base.Count
    """Number of attempts that passed."""
    failures: tuple[ClassedFailure, ...] = ()
    """Each eval with a failed attempt, once, or once for each failed sample."""
    mended: tuple[ClassedFailure, ...] = ()
    """Earlier failures with their classes: they no longer fail after the run was graded again."""
    patterns: tuple[str, ...] = ()
    """Common traits of several failures."""
    actions: tuple[str, ...] = ()
    """Changes in a grader, a task or the guidelines, made or proposed."""
    net_impact: str | None = None
    """The effect of the actions on the score, in a sentence."""
    text: str
    """The markdown below the front matter."""

    @property
    def unclassed(self) -> int:
        """The number of failures without a class."""
        return sum(failure.failure_class is None for failure in self.failures)

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


def build_report_name(report: Report) -> str:
    """Return the file name of a report, made of its run and date."""
    return f"{report.run[:8]}_{report.date.isoformat()}.md"


def encode_report(report: Report) -> str:
    """Return the text of the file of a report."""
    fields = report.model_dump(mode="json", by_alias=True, exclude={"text", "date"})
    fields["date"] = report.date
    # A failure without a class keeps its empty field in the file, for a person to fill in.
    for name in ("failures", "mended"):
        fields[name] = [
            {"eval": entry["eval"], "class": entry["class"], **_drop_empty(entry)}
            for entry in fields[name]
        ]
    ordered = {name: fields[name] for name in Report.model_fields if name in fields}
    return join(_drop_empty(ordered), report.text)


def _drop_empty(fields: dict[str, object]) -> dict[str, object]:
    """Return the fields without null, false and empty lists."""
    return {
        name: value
        for name, value in fields.items()
        if value is not None and value is not False and value != []
    }
