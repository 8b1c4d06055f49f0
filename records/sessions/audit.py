"""Shape of an audit of the graders: attempts drawn at random, which people judge without a verdict.

The record has the drawn attempts, and the number of attempts from which they were drawn, so that
rates can be estimated for all attempts. Judgements are in the label logs of the attempts' sessions.
"""

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from records.files.name_patterns import AUDIT_ID
from records.sessions.labels import LabelEvent, disagree, gives_verdict, list_judgements
from records.sessions.session import EvalStatus
from records.shapes import base
from records.shapes.attempt import StepName

AuditedOutcome = Literal["passed", "failed"]
"""The grader's verdict."""

_TOLERANCE = 1e-9


class AuditStratum(base.Record):
    """The attempts at one eval with the same verdict of the grader."""

    eval: base.EvalName
    """The eval."""
    outcome: AuditedOutcome
    """The grader's verdict."""
    population: base.Positive
    """Number of attempts in the stratum."""
    drawn: base.Count
    """Number of attempts that were drawn from the stratum."""


class AuditItem(base.Record):
    """An attempt that was drawn."""

    session: base.SessionId
    """The session of the attempt."""
    run_id: base.RunId
    """The run of the attempt."""
    eval: base.EvalName
    """The eval of the attempt."""
    sample: base.Positive
    """Number of the sample of the eval."""
    outcome: AuditedOutcome
    """The grader's verdict when the attempt was drawn."""
    failed_step: StepName | None
    """The first step that failed; null if the attempt passed."""
    weight: Annotated[float, Field(ge=1)]
    """The number of attempts that the item represents: all attempts with its outcome, divided by
    the drawn attempts."""
    reviewers: Literal[1, 2]
    """Number of people who are to judge the attempt."""


class Audit(base.Record):
    """An audit of the graders of a benchmark version."""

    schema_version: Literal[1]
    """Version of this shape."""
    audit_id: Annotated[str, Field(pattern=AUDIT_ID)]
    """Id of the audit, and its file name: the benchmark version and the seed."""
    benchmark_version: base.BenchmarkId
    """The version whose graders are audited."""
    drawn_at: base.Moment
    """When the attempts were drawn. Earlier judgements do not belong to this audit."""
    seed: base.Seed
    """Seed of the drawing: the same seed and runs give the same attempts."""
    runs: tuple[base.RunId, ...]
    """The runs whose attempts could be drawn, sorted."""
    strata: tuple[AuditStratum, ...]
    """All attempts that could be drawn, by eval, then by outcome with passed first."""
    steps: dict[StepName, base.Count]
    """Number of failed attempts by the first step that failed."""
    items: tuple[AuditItem, ...]
    """The drawn attempts in the order in which they are to be judged. The order is random, so that
    the attempts judged so far are a random sample, too."""

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.audit_id != make_audit_id(self.benchmark_version, self.seed):
            raise ValueError("audit_id is the benchmark version, a hyphen and the seed")
        if len({part.session for part in self.items}) != len(self.items):
            raise ValueError("an attempt was drawn twice")
        stated = {(part.eval, part.outcome): part.drawn for part in self.strata}
        if len(stated) != len(self.strata):
            raise ValueError("a stratum is listed twice")
        numbers = dict.fromkeys(stated, 0)
        for item in self.items:
            if (item.eval, item.outcome) not in numbers:
                raise ValueError(f"{item.eval}, {item.outcome}, is in no stratum")
            numbers[item.eval, item.outcome] += 1
        if stated != numbers or any(part.drawn > part.population for part in self.strata):
            raise ValueError("strata: drawn differs from the number of items, or is too large")
        if sum(self.steps.values()) != self.count_population("failed"):
            raise ValueError("steps do not add up to the attempts that failed")
        for item in self.items:
            if (item.failed_step is None) is not (item.outcome == "passed"):
                raise ValueError("failed_step is null exactly if the outcome is passed")
            if item.run_id not in self.runs:
                raise ValueError(f"{item.run_id} is not one of the runs of the audit")
            expected = self.count_population(item.outcome) / self.count_drawn(item.outcome)
            if not math.isclose(item.weight, expected, rel_tol=_TOLERANCE):
                raise ValueError(f"a weight is {item.weight}, and should be {expected}")
        return self

    def count_population(self, outcome: AuditedOutcome) -> int:
        """Return the number of attempts with ``outcome`` that could be drawn."""
        return sum(stratum.population for stratum in self.strata if stratum.outcome == outcome)

    def count_drawn(self, outcome: AuditedOutcome) -> int:
        """Return the number of attempts with ``outcome`` that were drawn."""
        return sum(stratum.drawn for stratum in self.strata if stratum.outcome == outcome)

    @property
    def doubles(self) -> int:
        """Number of drawn attempts that two people are to judge."""
        return [item.reviewers for item in self.items].count(2)


def make_audit_id(benchmark_version: str, seed: int) -> str:
    """Return the id of an audit."""
    return f"{benchmark_version}-{seed}"


class AuditState(StrEnum):
    """The state of the judgements of a drawn attempt."""

    OPEN = "open"
    """Fewer people than needed have judged the attempt."""
    DISPUTED = "disputed"
    """The judgements differ, and nobody has decided between them yet."""
    SETTLED = "settled"
    """The judgements agree, or somebody has decided."""


class Judgements(NamedTuple):
    """The judgements of people on a drawn attempt."""

    blind: Sequence[LabelEvent]
    """The last judgement without sight of a verdict by each reviewer, in the order in which
    reviewers came. Reviewers without a pseudonym count as one reviewer."""
    decision: LabelEvent | None
    """The decision of a person who saw judgements that differ; None if there is none."""
    state: AuditState

    @property
    def acceptable(self) -> bool | None:
        """Whether the answer is correct or golden; None while the state is open or disputed."""
        decided = [self.decision] if self.decision else self.blind
        sides = {parse_status(event) is not EvalStatus.INCORRECT for event in decided}
        return sides.pop() if self.state is not AuditState.OPEN and len(sides) == 1 else None


def parse_status(event: LabelEvent) -> EvalStatus:
    """Return the new status in a change of status."""
    return EvalStatus(str(event.after))


def find_judgements(audit: Audit, item: AuditItem, events: Sequence[LabelEvent]) -> Judgements:
    """Return the judgements of people on ``item``, from the label log of its session.

    A judgement is a blind change of status by a person. It names the audit, or is later than the
    drawing. It was not taken back, and its status is not needs_review. A decision is the last
    change that is not blind, by a person who saw blind judgements that differ. Logs of older
    programs do not name the judgements that a person saw: there, a decision comes after them.
    """
    # An audit draws a session once at most, so its name is enough.
    events_of_item = [
        event
        for event in list_judgements(events)
        if event.at >= audit.drawn_at
        or (event.audit is not None and event.audit.rpartition("/")[0] == audit.audit_id)
    ]
    by_reviewer: dict[str | None, LabelEvent] = {}
    by_id: dict[base.EventId, LabelEvent] = {}
    decision: LabelEvent | None = None
    for event in events_of_item:
        if event.blind:
            by_reviewer[event.reviewer] = by_id[event.id] = event
        elif event.decides is None:
            decision = event if disagree(by_reviewer.values()) else decision
        elif disagree([by_id[identity] for identity in event.decides if identity in by_id]):
            decision = event
    blind = [event for event in by_reviewer.values() if gives_verdict(event)]
    if decision is not None and not gives_verdict(decision):
        decision = None
    state = AuditState.SETTLED
    if len(blind) < item.reviewers:
        state = AuditState.OPEN
    elif decision is None and disagree(blind):
        state = AuditState.DISPUTED
    return Judgements(blind, decision, state)
