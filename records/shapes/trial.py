"""Shape of a trial of the guidelines: runs that send models several editions, in turns."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from records.shapes import base

TRIAL_VERSION = 1
"""The version of the shape of trials that this program writes."""

SectionSlug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=200)]
"""The slug of a section of the guidelines."""


class Edition(StrEnum):
    """The edition of the guidelines that a run of a trial sends."""

    WHOLE = "whole"
    """The suite's guidelines."""
    LEFT_OUT = "left_out"
    """The guidelines without one section."""
    PLACEBO = "placebo"
    """The guidelines with one section replaced by text of the same length that is not about
    Convex."""
    BEFORE = "before"
    """The guidelines at an earlier revision."""


class TrialRun(base.Record):
    """One run of a trial."""

    run_id: base.RunId
    """The run."""
    model: base.ModelSlug
    """The model that the run asks."""
    experiment: base.ExperimentName
    """The experiment in the run's record."""
    edition: Edition
    """The edition that the run sends."""
    section: SectionSlug | None
    """The section that is left out or replaced; null if there is none."""
    section_tokens: base.Count | None
    """Tokens of that section in the whole text; null without such a section."""
    tokens: base.Count
    """Tokens of the guidelines that the run sends."""

    @model_validator(mode="after")
    def _section_where_one_is_changed(self) -> Self:
        changed = self.edition in {Edition.LEFT_OUT, Edition.PLACEBO}
        if (self.section is not None) is not changed:
            raise ValueError("section is given exactly if a section is left out or replaced")
        if (self.section_tokens is None) is not (self.section is None):
            raise ValueError("section_tokens is given exactly if section is given")
        return self


class GuidelinesTrial(base.Record):
    """A trial of the guidelines: runs that take turns at the same evals, under one budget."""

    schema_version: Literal[1]
    """Version of this shape."""
    trial_id: base.RunId
    """Id of the trial, and its file name."""
    kind: Literal["ablation", "check"]
    """`ablation` tries each section, `check` tries a change of the guidelines."""
    benchmark_version: base.BenchmarkId
    """The version of the suite with the whole text."""
    revision: str | None
    """The commit with the guidelines of the edition `before`; null for an ablation."""
    changed: tuple[SectionSlug, ...]
    """The sections that a check tries; empty for an ablation."""
    began_at: base.Moment
    """When the trial began."""
    budget_usd: base.Dollars | None
    """The most that all runs may cost together in US dollars, including resumed parts; null without
    a budget."""
    runs: Annotated[tuple[TrialRun, ...], Field(min_length=2)]
    """The runs in the order of their first turn. The first run of each model sends the whole
    text."""

    @model_validator(mode="after")
    def _runs_differ(self) -> Self:
        if len({run.run_id for run in self.runs}) < len(self.runs):
            raise ValueError("runs: a run is listed twice")
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
