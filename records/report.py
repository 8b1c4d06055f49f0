"""A maintainer's analysis of one run: markdown with TOML front matter between lines of ``+++``.

TOML because Python reads it without another package, dates and numbers in it mean one thing, and
Hugo and Zola gave the ``+++`` fence that meaning.
"""

import json
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal, Self, cast

import tomli
from pydantic import Field, model_validator

from records.base import Count, EvalName, Name, Record, RunId

FENCE: Final = "+++"


class FailureClass(StrEnum):
    """Whose fault a failure is, by a person who looked at it."""

    MODEL_FAULT = "model_fault"
    """The answer is wrong."""
    OVERLY_STRICT = "overly_strict"
    """The answer is right and the grader refused it."""
    AMBIGUOUS_TASK = "ambiguous_task"
    """The task can be read in a way that makes the answer right."""
    KNOWN_GAP = "known_gap"
    """The answer is wrong, in a way that many models share and the guidelines could mend."""
    HARNESS_FAULT = "harness_fault"
    """The machinery around the grader broke, and the run's publisher counted it as a failure."""


class ClassedFailure(Record):
    """One failed eval of the run."""

    eval: EvalName
    """The eval that failed."""
    sample: Annotated[int, Field(ge=1)] | None = None
    """Which sample of it; null for every failed one."""
    failure_class: Annotated[FailureClass | None, Field(alias="class")] = None
    """Whose fault it is; null (left out) where nobody has looked yet."""
    note: str
    """What went wrong, in a sentence or two."""


class Report(Record):
    """One report: its front matter, and the markdown below it."""

    schema_version: Literal[1]
    """Version of this shape."""
    run: RunId
    """The run that was analysed."""
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
    patterns: tuple[str, ...] = ()
    """What several failures have in common."""
    actions: tuple[str, ...] = ()
    """What was or should be changed: in a grader, a task, the guidelines."""
    net_impact: str | None = None
    """What the actions change about the score, in a sentence."""
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


class FrontMatterError(ValueError):
    """The text does not begin with front matter that can be read."""


def split_report(text: str) -> tuple[dict[str, object], str]:
    """Return the front matter and the markdown below it.

    Raises:
        FrontMatterError: there is none, or it is not TOML.
    """
    front, body = _parts(text)
    try:
        return tomli.loads(front), body
    except (ValueError, RecursionError) as error:
        raise FrontMatterError(f"the front matter is not TOML: {error}") from error


def markdown_of(text: str) -> str:
    """Return the markdown of a report without reading its front matter.

    Raises:
        FrontMatterError: there is none.
    """
    return _parts(text)[1]


def _parts(text: str) -> tuple[str, str]:
    """Return the text of the front matter, and the markdown below it."""
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip() != FENCE:
        raise FrontMatterError(f"the first line must be {FENCE}")
    ends = [number for number, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE]
    if not ends:
        raise FrontMatterError(f"the front matter is not closed by a line of {FENCE}")
    front, body = lines[1 : ends[0]], lines[ends[0] + 1 :]
    return "".join(front), "".join(body).lstrip("\r\n")


def report_name(report: Report) -> str:
    """Return the file name that a report has by its content."""
    return f"{report.run[:8]}_{report.date.isoformat()}.md"


def report_text(report: Report) -> str:
    """Return a report as the text of its file."""
    return "\n".join([FENCE, *_front_lines(report), FENCE, "", report.text.rstrip("\n"), ""])


def slug_of_report(path: Path) -> str:
    """Return the slug of the model that the report at ``path`` is about, by its place."""
    return f"{path.parent.parent.name}/{path.parent.name}"


def _front_lines(report: Report) -> list[str]:
    front = report.model_dump(mode="json", by_alias=True, exclude={"text", "failures", "date"})
    front["date"] = report.date
    order = [name for name in Report.model_fields if name in front]
    lines = [f"{name} = {_toml(front[name])}" for name in order if front[name] not in (None, [])]
    for failure in report.failures:
        fields = failure.model_dump(mode="json", by_alias=True, exclude_none=True)
        lines += ["", "[[failures]]", *(f"{name} = {_toml(fields[name])}" for name in fields)]
    return lines


def _toml(value: object) -> str:
    match value:
        case date():
            return value.isoformat()
        case int():
            return str(value)
        case str():
            return _toml_text(value)
        case list():
            items = cast("list[object]", value)
            return "[\n" + "".join(f"  {_toml(item)},\n" for item in items) + "]"
        case _:
            raise TypeError(f"no TOML for {type(value).__name__}")


def _toml_text(text: str) -> str:
    """Return a basic string: JSON's escapes, and the one control character JSON leaves alone."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
