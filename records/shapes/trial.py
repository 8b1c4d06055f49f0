"""A trial of the guidelines: runs that send models several editions of the text, in turns."""

from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from records.shapes.base import (
    BenchmarkId,
    Count,
    Dollars,
    ExperimentName,
    ModelSlug,
    Moment,
    Record,
    RunId,
)

TRIAL_VERSION: Final = 1
"""The version of the shape of trials that this program writes."""

SectionSlug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=200)]
"""The slug of a section of the guidelines."""


class Edition(StrEnum):
    """Which text of the guidelines a run of a trial sends."""

    WHOLE = "whole"
    """The suite's guidelines as they are."""
    LEFT_OUT = "left_out"
    """Without one section."""
    PLACEBO = "placebo"
    """With one section replaced by as many tokens of text that has nothing to do with Convex."""
    BEFORE = "before"
    """The guidelines at an earlier revision."""


class TrialRun(Record):
    """One run of a trial."""

    run_id: RunId
    """The run."""
    model: ModelSlug
    """Whom it asks."""
    experiment: ExperimentName
    """The name of its condition in the run's record."""
    edition: Edition
    """Which text it sends."""
    section: SectionSlug | None
    """The section that is left out or replaced; null where none is."""
    section_tokens: Count | None
    """How long that section is in the whole text, in tokens; null where there is none."""
    tokens: Count
    """How long the text is that it sends, in tokens."""

    @model_validator(mode="after")
    def _section_where_one_is_changed(self) -> Self:
        changed = self.edition in {Edition.LEFT_OUT, Edition.PLACEBO}
        if (self.section is not None) is not changed:
            raise ValueError("section is given exactly where one is left out or replaced")
        if (self.section_tokens is None) is not (self.section is None):
            raise ValueError("section_tokens is given exactly where section is")
        return self


class GuidelinesTrial(Record):
    """Runs that take turns at the same evals, under one budget."""

    schema_version: Literal[1]
    """Version of this shape."""
    trial_id: RunId
    """Its identity and file name."""
    kind: Literal["ablation", "check"]
    """Whether each section is tried, or a change of the text."""
    benchmark_version: BenchmarkId
    """The version of the suite with the whole text."""
    revision: str | None
    """The commit whose guidelines are the edition before; null for an ablation."""
    changed: tuple[SectionSlug, ...]
    """Sections that a check is about; empty for an ablation."""
    began_at: Moment
    """When."""
    budget_usd: Dollars | None
    """The most that all its runs may cost together in US dollars, resumed parts included; null
    where no budget was set."""
    runs: Annotated[tuple[TrialRun, ...], Field(min_length=2)]
    """In the order of their first turn: for each model the whole text first."""

    @model_validator(mode="after")
    def _runs_differ(self) -> Self:
        if len({run.run_id for run in self.runs}) < len(self.runs):
            raise ValueError("runs: a run stands twice")
        for model in {run.model for run in self.runs}:
            texts = [(run.edition, run.section) for run in self.runs if run.model == model]
            if texts.count((Edition.WHOLE, None)) != 1 or len(set(texts)) < len(texts):
                raise ValueError(f"runs: {model} needs the whole text once, and no text twice")
        return self

    @model_validator(mode="after")
    def _an_ablation_is_of_one_model(self) -> Self:
        if self.kind == "ablation":
            if len({run.model for run in self.runs}) > 1:
                raise ValueError("runs: an ablation asks one model")
            if any(run.edition is Edition.BEFORE for run in self.runs):
                raise ValueError("runs: an ablation has no edition before")
        return self
