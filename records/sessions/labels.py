"""Events of the label log of a session, which is appended to and never rewritten.

Each change of a label is an event, and so is the undoing of a change. The present labels are the
labels that came with the session, changed by the events in turn. Events have the order of
`records.sessions.events`, not that of lines. So two branches that label the same session can
be merged in both directions with the same result. A status decides only between the judgements that
its writer saw. Tags are added and removed singly.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, Self, cast, get_args

from pydantic import Field, JsonValue, model_validator

from records.files.name_patterns import AUDIT_ITEM
from records.grouping import group_values
from records.sessions.events import LogEvent, select_standing
from records.sessions.session import EvalStatus, Session
from records.shapes.base import Digest, EventId, OutsideText, Positive, Pseudonym

Way = Literal["cli", "desk", "api", "import", "grader"]
"""The way by which a label was given."""

PEOPLE = frozenset({"cli", "desk", "api"})
"""The ways by which people judge. The verdict of a grader and an import are no review."""

LabelName = Literal["evalReady", "evalStatus", "evalNotes", "evalTags", "expectedOutput"]

_WORD = r"^[A-Za-z][A-Za-z0-9_]{0,39}$"
_WAYS = frozenset(get_args(Way))
_LABELS = frozenset(get_args(LabelName))


class LabelEvent(LogEvent):
    """A change of one label. Fields of newer programs are kept."""

    reviewer: Pseudonym | None
    """The pseudonym that the reviewer chose; null if there is none. It is never exported."""
    field: Annotated[str, Field(pattern=_WORD)]
    """The label: evalReady, evalStatus, evalNotes, evalTags or expectedOutput. Labels of newer
    programs are kept, but have no effect."""
    turn: Positive | None = None
    """Number of the labelled turn, from 1; null if the session is labelled."""
    before: JsonValue
    """The value before the change."""
    after: JsonValue
    """The value after the change."""
    reason: OutsideText = ""
    """Why the label was changed, in words."""
    via: Annotated[str, Field(pattern=_WORD)]
    """The way by which the label was given: cli, desk, api, import or grader."""
    blind: bool = False
    """True if the reviewer could see neither model nor verdict nor other labels."""
    seen: Digest
    """Digest of the labelled transcript; the label is stale if the transcript changed since."""
    audit: Annotated[str, Field(pattern=AUDIT_ITEM)] | None = None
    """The item of an audit that was judged, such as 9fdfa625ac2f-1/7; null without an audit."""
    decides: tuple[EventId, ...] | None = None
    """For a status that a person gives to a session: the judgements that the person saw and that
    differ, which the status decides; empty if there were none. Null for other labels. In a status
    of an older program it is null, too: such a status decides all earlier judgements."""
    added: tuple[OutsideText, ...] | None = None
    """For tags: the tags that the change added. Null for other labels. If it is null for tags, the
    change sets all tags."""
    removed: tuple[OutsideText, ...] | None = None
    """For tags: the tags that the change removed. Null if `added` is null."""

    @model_validator(mode="after")
    def _has_a_value_of_its_field(self) -> Self:
        if self.is_known and self.undoes is None:
            _find_session_field(cast("LabelName", self.field), self.after)
        return self

    @property
    def links(self) -> list[tuple[str, EventId]]:
        """The ids of the events that this event names, each after the field that names it."""
        return [*super().links, *(("decides", identity) for identity in self.decides or ())]

    @property
    def is_known(self) -> bool:
        """Whether this program has a label of this name."""
        return self.field in _LABELS

    @property
    def has_known_way(self) -> bool:
        """Whether this program has the way by which the label was given."""
        return self.via in _WAYS


def apply_labels(session: Session, events: Sequence[LabelEvent]) -> Session:
    """Return ``session`` with its labels after ``events``; labels of single turns have no effect.

    If all changes of a label were taken back, the label is as before the first change.
    """
    own = [event for event in events if event.turn is None and event.is_known]
    changes = select_standing(own)
    fields = dict(
        _find_session_field(name, value) for name, value in _collect_values(own, changes).items()
    )
    if "eval_status" in fields:
        # reviewedAt is the time of a person's judgement; graders and imports do not set it.
        judged = [event for event in changes if event.field == "evalStatus" and event.via in PEOPLE]
        unjudged = fields["eval_status"] is EvalStatus.NEEDS_REVIEW
        fields["reviewed_at"] = judged[-1].at if judged and not unjudged else None
    return session.model_copy(update=fields) if fields else session


def collect_turn_labels(
    events: Sequence[LabelEvent],
) -> Mapping[int, Mapping[LabelName, JsonValue]]:
    """Return the labels of single turns by the number of the turn, from 1."""
    events_by_turn = _group_by_turn(events)
    return {
        turn: _collect_values(events_by_turn[turn], changes)
        for turn, changes in _group_by_turn(select_standing(events)).items()
    }


def _group_by_turn(events: Iterable[LabelEvent]) -> dict[int, list[LabelEvent]]:
    return group_values(
        (event.turn, event) for event in events if event.turn is not None and event.is_known
    )


def find_last_event(
    events: Sequence[LabelEvent], field: str, turn: int | None
) -> LabelEvent | None:
    """Return the latest event of a label, which a new event replaces; None if there is none."""
    same = (event for event in reversed(events) if (event.field, event.turn) == (field, turn))
    return next(same, None)


def find_differing_judgements(events: Sequence[LabelEvent]) -> list[LabelEvent]:
    """Return the last judgement of each reviewer if they differ and nobody decided; else no event.

    A decision is a status by a person who saw judgements that differ, even if it does not change
    the session's status. It does not decide judgements that the person did not see, such as those
    of another branch. Reviewers are known by their pseudonyms. Without a pseudonym, only a blind
    judgement counts. The status needs_review is not a judgement.
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
    return _select_differing_judgements(last.values())


def find_decided(events: Sequence[LabelEvent], status: JsonValue) -> tuple[EventId, ...]:
    """Return the judgements that a new status decides, if its writer sees ``events``.

    These are the judgements that differ. For audits, they include the blind judgements that differ,
    even if somebody has decided already. The status needs_review decides none.
    """
    if status == EvalStatus.NEEDS_REVIEW.value:
        return ()
    blind = {event.reviewer: event for event in list_judgements(events) if event.blind}
    sides = (*find_differing_judgements(events), *_select_differing_judgements(blind.values()))
    return tuple(dict.fromkeys(event.id for event in sides))


def list_judgements(events: Sequence[LabelEvent]) -> list[LabelEvent]:
    """Return the changes of the session's status by people that were not taken back."""
    return [
        event
        for event in select_standing(events)
        if event.field == "evalStatus" and event.turn is None and event.via in PEOPLE
    ]


def _select_differing_judgements(events: Iterable[LabelEvent]) -> list[LabelEvent]:
    """Return the judgements that are not needs_review, if they differ; else no event."""
    judged = [event for event in events if gives_verdict(event)]
    return judged if disagree(judged) else []


def gives_verdict(event: LabelEvent) -> bool:
    """Return whether an event gives another status than needs_review."""
    return event.after != EvalStatus.NEEDS_REVIEW.value


def disagree(events: Iterable[LabelEvent]) -> bool:
    """Return whether events give different statuses, apart from needs_review."""
    return len({str(event.after) for event in events if gives_verdict(event)}) > 1


def find_event_to_undo(events: Sequence[LabelEvent]) -> LabelEvent | None:
    """Return the latest change that was not taken back; None if there is none."""
    return next(reversed(select_standing(events)), None)


def find_last_own_event(events: Sequence[LabelEvent], reviewer: str | None) -> LabelEvent | None:
    """Return the latest change by a reviewer that was not taken back; None if there is none.

    People without a pseudonym count as one reviewer.
    """
    own = (event for event in reversed(select_standing(events)) if event.reviewer == reviewer)
    return next((event for event in own if event.via in PEOPLE), None)


def _collect_values(
    events: Sequence[LabelEvent], changes: Sequence[LabelEvent]
) -> dict[LabelName, JsonValue]:
    """Return the changed labels after ``events``.

    Args:
        events: the events of a session, or of one of its turns.
        changes: those of ``events`` that `select_standing` returns.
    """
    values: dict[LabelName, JsonValue] = {}
    first: dict[str, JsonValue] = {}
    for event in events:
        first.setdefault(event.field, event.before)
    for event in changes:
        name = cast("LabelName", event.field)
        if name == "evalTags":
            values[name] = _change_tags(values.get(name, first[name]), event)
        else:
            values[name] = event.after
    return values


def _change_tags(present: JsonValue, event: LabelEvent) -> JsonValue:
    """Return the tags ``present`` after a change, whose writer may have seen other tags."""
    if (event.added is None and event.removed is None) or present == event.before:
        return event.after
    removed = frozenset(event.removed or ())
    tags = present if isinstance(present, list) else []
    stay = (tag for tag in tags if isinstance(tag, str) and tag not in removed)
    return [*dict.fromkeys((*stay, *(event.added or ())))]


def _find_session_field(name: LabelName, value: JsonValue) -> tuple[str, object]:
    """Return the field of a session for a label, and its value.

    Raises:
        ValueError: the label cannot have the value.
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
            raise ValueError(f"{value!r} is not a value of {name}")
