"""An audit of the graders: attempts drawn at random, judged by people who see no verdict.

Judgements stand in the label logs of the attempts' sessions; this record says which attempts were
drawn, and from how many, so that rates over them hold for all attempts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from records.files.name_patterns import AUDIT_ID
from records.sessions.labels import LabelEvent, disagree, gives_verdict, list_judgements
from records.sessions.session import EvalStatus
from records.shapes.attempt import StepName
from records.shapes.base import (
    BenchmarkId,
    Count,
    EvalName,
    EventId,
    Moment,
    Record,
    RunId,
    SessionId,
)

AuditedOutcome = Literal["passed", "failed"]
"""The grader's verdict."""

_TOLERANCE: Final = 1e-9


class AuditStratum(Record):
    """The attempts at one eval that the grader judged alike."""

    eval: EvalName
    """The eval."""
    outcome: AuditedOutcome
    """The grader's verdict."""
    population: Annotated[int, Field(ge=1)]
    """Attempts there are."""
    drawn: Count
    """Attempts drawn of them."""


class AuditItem(Record):
    """One attempt that was drawn."""

    session: SessionId
    """The session that it is."""
    run_id: RunId
    """Its run."""
    eval: EvalName
    """Its eval."""
    sample: Annotated[int, Field(ge=1)]
    """Which sample of the eval."""
    outcome: AuditedOutcome
    """The grader's verdict when it was drawn."""
    failed_step: StepName | None
    """The first step that had failed; null where it passed."""
    weight: Annotated[float, Field(ge=1)]
    """How many attempts it stands for: the attempts of its outcome, over those drawn of them."""
    reviewers: Literal[1, 2]
    """How many people are to judge it."""


class Audit(Record):
    """One audit of the graders of a benchmark version."""

    schema_version: Literal[1]
    """Version of this shape."""
    audit_id: Annotated[str, Field(pattern=AUDIT_ID)]
    """Its identity and file name: the benchmark version and the seed."""
    benchmark_version: BenchmarkId
    """The version whose graders are audited."""
    drawn_at: Moment
    """When. Judgements before that belong to no audit, or to an earlier one."""
    seed: Annotated[int, Field(ge=0, lt=10**10)]
    """With the same seed and runs, the same attempts are drawn."""
    runs: tuple[RunId, ...]
    """The runs whose attempts could be drawn, sorted."""
    strata: tuple[AuditStratum, ...]
    """All attempts that could be drawn, by eval, then outcome: passed first."""
    steps: dict[StepName, Count]
    """How many of the failed attempts failed at each step first."""
    items: tuple[AuditItem, ...]
    """The drawn attempts, in the order in which they are to be judged, which is random: the judged
    part is a random sample, too."""

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.audit_id != audit_id(self.benchmark_version, self.seed):
            raise ValueError("audit_id is the benchmark version, a hyphen and the seed")
        if len({part.session for part in self.items}) != len(self.items):
            raise ValueError("an attempt was drawn twice")
        stated = {(part.eval, part.outcome): part.drawn for part in self.strata}
        if len(stated) != len(self.strata):
            raise ValueError("a stratum stands twice")
        counted = dict.fromkeys(stated, 0)
        for item in self.items:
            if (item.eval, item.outcome) not in counted:
                raise ValueError(f"{item.eval}, {item.outcome}, is in no stratum")
            counted[item.eval, item.outcome] += 1
        if stated != counted or any(part.drawn > part.population for part in self.strata):
            raise ValueError("strata do not say what was drawn of them")
        if sum(self.steps.values()) != self.population("failed"):
            raise ValueError("steps do not add up to the attempts that failed")
        self._check_items()
        return self

    def _check_items(self) -> None:
        for item in self.items:
            if (item.failed_step is None) is not (item.outcome == "passed"):
                raise ValueError("failed_step is null exactly where the outcome is passed")
            if item.run_id not in self.runs:
                raise ValueError(f"{item.run_id} is none of the runs that were drawn from")
            expected = self.population(item.outcome) / self.drawn(item.outcome)
            if not math.isclose(item.weight, expected, rel_tol=_TOLERANCE):
                raise ValueError(f"a weight is {item.weight}, and should be {expected}")

    def population(self, outcome: AuditedOutcome) -> int:
        """Return how many attempts could be drawn that the grader judged so."""
        return sum(stratum.population for stratum in self.strata if stratum.outcome == outcome)

    def drawn(self, outcome: AuditedOutcome) -> int:
        """Return how many of them were drawn."""
        return sum(stratum.drawn for stratum in self.strata if stratum.outcome == outcome)

    @property
    def doubles(self) -> int:
        """How many of the drawn two people are to judge."""
        return [item.reviewers for item in self.items].count(2)


def audit_id(benchmark_version: str, seed: int) -> str:
    """Return the identity of an audit."""
    return f"{benchmark_version}-{seed}"


class AuditState(StrEnum):
    """How far an attempt that was drawn has come."""

    OPEN = "open"
    """Not judged by as many people as are to judge it."""
    DISPUTED = "disputed"
    """They judged it differently, and nobody decided between them yet."""
    SETTLED = "settled"
    """They agree, or somebody decided."""


@dataclass(frozen=True, slots=True)
class Judgements:
    """The judgements of people on a drawn attempt."""

    blind: Sequence[LabelEvent]
    """The last judgement of each reviewer who saw no verdict, the first reviewer first. Reviewers
    without a pseudonym count as one reviewer."""
    decision: LabelEvent | None
    """The decision of a person who had seen judgements that differ; null where nobody did."""
    state: AuditState

    @property
    def acceptable(self) -> bool | None:
        """Whether the answer is right: correct or golden; null while that is open or disputed."""
        decided = [self.decision] if self.decision else self.blind
        sides = {judged_status(event) is not EvalStatus.INCORRECT for event in decided}
        return sides.pop() if self.state is not AuditState.OPEN and len(sides) == 1 else None


def judged_status(event: LabelEvent) -> EvalStatus:
    """Return the status that a change of status gave."""
    return EvalStatus(str(event.after))


def judgements(audit: Audit, item: AuditItem, events: Sequence[LabelEvent]) -> Judgements:
    """Return the judgements of people on ``item``, from the label log of its session.

    A judgement is a change of status that names the item, or came after the audit was drawn, blind,
    by a person, that was not taken back and does not leave the session at needs_review. A decision
    is the last change that is not blind, in sight of blind judgements that differ; in logs
    of older programs, which do not name these, after them.
    """
    events_of_item = [
        event
        for event in list_judgements(events)
        if _names(event, audit) or event.at >= audit.drawn_at
    ]
    by_reviewer: dict[str | None, LabelEvent] = {}
    by_id: dict[EventId, LabelEvent] = {}
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
    return Judgements(blind, decision, _state(item, blind, decision))


def _names(event: LabelEvent, audit: Audit) -> bool:
    """Return whether an event of the session names the audit, which drew the session once."""
    return event.audit is not None and event.audit.rpartition("/")[0] == audit.audit_id


def _state(item: AuditItem, blind: Sequence[LabelEvent], decision: LabelEvent | None) -> AuditState:
    if len(blind) < item.reviewers:
        return AuditState.OPEN
    if decision is None and disagree(blind):
        return AuditState.DISPUTED
    return AuditState.SETTLED
