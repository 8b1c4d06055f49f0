"""The label log of a session: one event for each change, appended and never rewritten.

The state of the labels is the fold of the events over the labels that came with the session;
undoing appends the inverse event. The order of events is that of `records.sessions.event_order`,
not that of lines, so that two branches which label one session merge to the same state in both
directions. A status decides only between judgements that its writer saw; tags come and go one by
one.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Final, Literal, Self, cast, get_args

from pydantic import Field, JsonValue, model_validator

from records.files.name_patterns import AUDIT_ITEM, PSEUDONYM
from records.sessions.event_order import standing
from records.sessions.log_event import LogEvent
from records.sessions.session import EvalStatus, Session
from records.shapes.base import Digest, EventId, OutsideText

Way = Literal["cli", "desk", "api", "import", "grader"]
"""By which way somebody judged."""

PEOPLE: Final = frozenset({"cli", "desk", "api"})
"""The ways by which people judge: a grader's verdict and an import are no review."""

LabelName = Literal["evalReady", "evalStatus", "evalNotes", "evalTags", "expectedOutput"]

_WORD: Final = r"^[A-Za-z][A-Za-z0-9_]{0,39}$"
_WAYS: Final = frozenset(get_args(Way))
_LABELS: Final = frozenset(get_args(LabelName))


class LabelEvent(LogEvent):
    """One change of one label. Fields that newer programs add are kept."""

    reviewer: Annotated[str, Field(pattern=PSEUDONYM)] | None
    """A pseudonym that the reviewer chose; null where none was given. Never exported."""
    field: Annotated[str, Field(pattern=_WORD)]
    """Which label: evalReady, evalStatus, evalNotes, evalTags or expectedOutput. Labels of newer
    programs are kept, and change nothing."""
    turn: Annotated[int, Field(ge=1)] | None = None
    """Number of the turn that is labelled, from 1; null for the session."""
    before: JsonValue
    """The value before."""
    after: JsonValue
    """The value now."""
    reason: OutsideText = ""
    """Why, in words."""
    via: Annotated[str, Field(pattern=_WORD)]
    """By which way: cli, desk, api, import or grader."""
    blind: bool = False
    """True where model, verdict and other labels were out of sight."""
    seen: Digest
    """Digest of the transcript that was judged; the label is stale where it changed since."""
    audit: Annotated[str, Field(pattern=AUDIT_ITEM)] | None = None
    """The item of an audit that was judged, such as 9fdfa625ac2f-1/7; null for any other."""
    decides: tuple[EventId, ...] | None = None
    """Of a status that a person gives a session: the judgements in sight that differ, between which
    it decides; empty if there were none. Null for other labels; a status without it decides
    between all judgements before it."""
    added: tuple[OutsideText, ...] | None = None
    """Of tags: the tags after that were not there before. Null for other labels; an
    event without it sets all tags."""
    removed: tuple[OutsideText, ...] | None = None
    """Of tags: the tags before that are not there after. Null where `added` is."""

    @model_validator(mode="after")
    def _has_a_value_of_its_field(self) -> Self:
        if self.is_known and self.undoes is None:
            _session_field(cast("LabelName", self.field), self.after)
        return self

    @property
    def links(self) -> list[tuple[str, EventId]]:
        """The events that this one names, each behind the field that names it."""
        return [*super().links, *(("decides", identity) for identity in self.decides or ())]

    @property
    def is_known(self) -> bool:
        """True if this program knows the label."""
        return self.field in _LABELS

    @property
    def has_known_way(self) -> bool:
        """True if this program knows the way by which the label was given."""
        return self.via in _WAYS


def folded(session: Session, events: Sequence[LabelEvent]) -> Session:
    """Return ``session`` with the labels that ``events`` leave; those of single turns apart.

    A label of which every change was taken back is as before the first.
    """
    own = [event for event in events if event.turn is None and event.is_known]
    changes = standing(own)
    fields = dict(_session_field(name, value) for name, value in _values(own, changes).items())
    if "eval_status" in fields:
        # reviewedAt is when a person judged: verdicts of graders and imports do not set it.
        judged = [event for event in changes if event.field == "evalStatus" and event.via in PEOPLE]
        unjudged = fields["eval_status"] is EvalStatus.NEEDS_REVIEW
        fields["reviewed_at"] = judged[-1].at if judged and not unjudged else None
    return session.model_copy(update=fields) if fields else session


def turn_labels(events: Sequence[LabelEvent]) -> Mapping[int, Mapping[LabelName, JsonValue]]:
    """Return the labels of single turns by the number of the turn, from 1."""
    known = _by_turn(events)
    return {
        turn: _values(known[turn], changes) for turn, changes in _by_turn(standing(events)).items()
    }


def _by_turn(events: Iterable[LabelEvent]) -> dict[int, list[LabelEvent]]:
    turns: dict[int, list[LabelEvent]] = {}
    for event in events:
        if event.turn is not None and event.is_known:
            turns.setdefault(event.turn, []).append(event)
    return turns


def last_of(events: Sequence[LabelEvent], field: str, turn: int | None) -> LabelEvent | None:
    """Return the latest event of a label, which a new event replaces; null where there is none."""
    same = (event for event in reversed(events) if (event.field, event.turn) == (field, turn))
    return next(same, None)


def differing(events: Sequence[LabelEvent]) -> list[LabelEvent]:
    """Return the last judgement of each reviewer, where these differ and nobody decided; else none.

    A decision is a status given in sight of judgements that differ, also where it is the status
    that the session has. A judgement of another branch, which its writer did not see, still counts.
    Reviewers differ by their pseudonyms; without a pseudonym, a judgement counts where it was
    blind. A reviewer who left it at needs_review did not judge.
    """
    judged = list_judgements(events)
    reviewers = {event.id: event.reviewer for event in judged}
    last: dict[str | None, LabelEvent] = {}
    for event in judged:
        if event.decides is None:
            if not event.blind and gives_verdict(event) and disagree(last.values()):
                last = {}
        else:
            for identity in event.decides:
                other = last.get(reviewers.get(identity))
                if other is not None and other.id == identity:
                    del last[other.reviewer]
        if event.reviewer is not None or event.blind:
            last[event.reviewer] = event
    return _if_differing(last.values())


def find_decided(events: Sequence[LabelEvent], status: JsonValue) -> tuple[EventId, ...]:
    """Return the judgements between which a new status decides, given in sight of ``events``.

    These are the judgements that differ and, for audits, the blind judgements that differ, also
    where somebody decided between them already. Of needs_review there are none.
    """
    if status == EvalStatus.NEEDS_REVIEW.value:
        return ()
    blind = {event.reviewer: event for event in list_judgements(events) if event.blind}
    sides = (*differing(events), *_if_differing(blind.values()))
    return tuple(dict.fromkeys(event.id for event in sides))


def list_judgements(events: Sequence[LabelEvent]) -> list[LabelEvent]:
    """Return the statuses that people gave the session, and that were not taken back."""
    return [
        event
        for event in standing(events)
        if event.field == "evalStatus" and event.turn is None and event.via in PEOPLE
    ]


def _if_differing(events: Iterable[LabelEvent]) -> list[LabelEvent]:
    """Return the judgements that are not needs_review, where these differ; else none."""
    judged = [event for event in events if gives_verdict(event)]
    return judged if disagree(judged) else []


def gives_verdict(event: LabelEvent) -> bool:
    """Return whether a status is more than the mark needs_review."""
    return event.after != EvalStatus.NEEDS_REVIEW.value


def disagree(events: Iterable[LabelEvent]) -> bool:
    """Return whether the statuses that events give differ, needs_review apart."""
    return len({str(event.after) for event in events if gives_verdict(event)}) > 1


def last_to_undo(events: Sequence[LabelEvent]) -> LabelEvent | None:
    """Return the latest change that was not taken back; null where none is left."""
    return next(reversed(standing(events)), None)


def last_own(events: Sequence[LabelEvent], reviewer: str | None) -> LabelEvent | None:
    """Return the latest change by a reviewer that was not taken back; null where none is left.

    People without a pseudonym count as one reviewer.
    """
    own = (event for event in reversed(standing(events)) if event.reviewer == reviewer)
    return next((event for event in own if event.via in PEOPLE), None)


def _values(
    events: Sequence[LabelEvent], changes: Sequence[LabelEvent]
) -> dict[LabelName, JsonValue]:
    """Return the labels that events leave, without labels of which every change was taken back.

    Args:
        events: of a session, or of one of its turns.
        changes: the standing events among them.
    """
    values: dict[LabelName, JsonValue] = {}
    first: dict[str, JsonValue] = {}
    for event in events:
        first.setdefault(event.field, event.before)
    for event in changes:
        name = cast("LabelName", event.field)
        if name == "evalTags":
            values[name] = _changed_tags(values.get(name, first[name]), event)
        else:
            values[name] = event.after
    return values


def _changed_tags(present: JsonValue, event: LabelEvent) -> JsonValue:
    """Return tags after a change of them, which may have been made in sight of other tags."""
    if (event.added is None and event.removed is None) or present == event.before:
        return event.after
    removed = frozenset(event.removed or ())
    tags = present if isinstance(present, list) else []
    stay = (tag for tag in tags if isinstance(tag, str) and tag not in removed)
    return [*dict.fromkeys((*stay, *(event.added or ())))]


def _session_field(name: LabelName, value: JsonValue) -> tuple[str, object]:
    """Return the field of a session that a label is, with its value.

    Raises:
        ValueError: the value is none that the label can have.
    """
    match name:
        case "evalReady" if isinstance(value, bool):
            return "eval_ready", value
        case "evalStatus" if isinstance(value, str):
            return "eval_status", EvalStatus(value)
        case "evalNotes" if isinstance(value, str):
            return "eval_notes", value
        case "evalTags" if isinstance(value, list) and all(isinstance(tag, str) for tag in value):
            return "eval_tags", tuple(cast("list[str]", value))
        case "expectedOutput" if value is None or isinstance(value, str):
            return "expected_output", value
        case _:
            raise ValueError(f"{value!r} is no value of {name}")
