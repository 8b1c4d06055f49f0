"""A session with its present labels, and the events that a change adds to its log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from pydantic import JsonValue

from records.sessions.events import choose_event_time, make_event_id, select_standing
from records.sessions.labels import (
    PEOPLE,
    LabelEvent,
    LabelName,
    Way,
    collect_turn_labels,
    find_decided,
    find_differing_judgements,
    find_event_to_undo,
    find_last_event,
    find_last_own_event,
    list_judgements,
)
from records.sessions.session import LABELS, EvalStatus, Session
from records.shapes.base import EventId, compute_list_digest
from review.errors import ChangedMeanwhileError, GateError
from review.turns import compute_transcript_digest

_LABELS = {*LABELS} - {"reviewed_at"}


@dataclass(frozen=True, slots=True)
class LabeledSession:
    """A session with its present labels, and the events of its log."""

    session: Session
    """The record, with the labels after all events."""
    events: Sequence[LabelEvent]
    written: Sequence[LabelEvent] = field(default=(), compare=False)
    """The last of these events, if the call that returns this object has written them."""
    known_transcript: str | None = field(default=None, compare=False)
    """The digest of the transcript; if None, it is computed at each use."""

    @property
    def transcript(self) -> str:
        """The digest of the transcript."""
        return self.known_transcript or compute_transcript_digest(self.session)

    @property
    def turns(self) -> Mapping[int, Mapping[LabelName, JsonValue]]:
        """The labels of single turns, by the number of the turn from 1."""
        return collect_turn_labels(self.events)

    @property
    def is_stale(self) -> bool:
        """True if the transcript changed since the latest status."""
        judged = [
            event.seen
            for event in select_standing(self.events)
            if event.field == "evalStatus" and event.turn is None
        ]
        return bool(judged) and judged[-1] != self.transcript

    @property
    def judges(self) -> Sequence[str]:
        """The pseudonyms of reviewers who judged, without judgements taken back; latest first."""
        judgements = reversed(list_judgements(self.events))
        reviewers = (event.reviewer for event in judgements if event.reviewer is not None)
        return list(dict.fromkeys(reviewers))

    @property
    def differing(self) -> Sequence[LabelEvent]:
        """The judgements that differ, if nobody has decided yet."""
        return find_differing_judgements(self.events)

    @property
    def blind_dispute(self) -> Sequence[LabelEvent]:
        """The same judgements if all were given blind, else none; model and run are hidden then."""
        differing = self.differing
        return differing if all(event.blind for event in differing) else ()

    @property
    def is_unjudged(self) -> bool:
        """True if no person has judged the present transcript."""
        return self.session.reviewed_at is None or self.is_stale

    @property
    def version(self) -> str:
        """A digest of transcript and labels, which shows any change."""
        labels = self.session.model_dump_json(include=_LABELS)
        return compute_list_digest(self.transcript, labels, *(event.id for event in self.events))


def build_label_events(  # noqa: PLR0913 - what an event is made of
    before: LabeledSession,
    labels: Mapping[LabelName, JsonValue],
    *,
    via: Way,
    reviewer: str | None = None,
    reason: str = "",
    blind: bool = False,
    audit: str | None = None,
    turn: int | None = None,
) -> list[LabelEvent]:
    """Return the events of new labels of a session, or of the turn with the number ``turn``.

    A label that changes nothing makes no event. But a status makes an event even if it changes
    nothing in these cases: a person judges for the first time after a grader, or after the
    transcript changed; it decides between reviewers who judged differently; it is given blind.

    Raises:
        ValueError: a label cannot have this value.
    """
    at = choose_event_time(before.events)
    present_labels = (
        before.session.model_dump(mode="json", by_alias=True, include=_LABELS)
        if turn is None
        else before.turns.get(turn, {})
    )
    undecided = before.is_unjudged or bool(before.differing)
    events: list[LabelEvent] = []
    for name, value in labels.items():
        present = present_labels.get(name)
        # A status that a person gives to the whole session.
        judges = turn is None and name == "evalStatus" and via in PEOPLE
        is_news = blind or (undecided and value != EvalStatus.NEEDS_REVIEW)
        if present == value and not (judges and is_news):
            continue
        replaced = find_last_event(before.events, name, turn)
        is_tags = name == "evalTags"
        decides = None
        if judges:
            decides = () if blind else find_decided(before.events, value)
        event = LabelEvent(
            id=make_event_id(at),
            at=at,
            replaces=None if replaced is None else replaced.id,
            reviewer=reviewer,
            field=name,
            turn=turn,
            before=present,
            after=value,
            reason=reason,
            via=via,
            blind=blind,
            seen=before.transcript,
            audit=audit,
            decides=decides,
            added=_subtract_tags(value, present) if is_tags else None,
            removed=_subtract_tags(present, value) if is_tags else None,
        )
        events.append(event)
        at += timedelta(microseconds=1)
    return events


def _subtract_tags(tags: JsonValue, others: JsonValue) -> tuple[str, ...]:
    """Return the tags that are not in ``others``."""
    present = others if isinstance(others, list) else []
    return tuple(str(tag) for tag in tags if tag not in present) if isinstance(tags, list) else ()


def build_undo_events(
    before: LabeledSession,
    *,
    via: Way,
    reviewer: str | None = None,
    reason: str = "",
    event_id: EventId | None = None,
) -> list[LabelEvent]:
    """Return the event that takes a change of a session back; none if there is no change left.

    Without ``event_id``, the reviewer's own latest change is taken back. If there is none, it is
    the latest change of anybody.

    Raises:
        ChangedMeanwhileError: the event was taken back already.
        GateError: the label is another reviewer's, and there is no reason.
    """
    if event_id is None:
        back = find_last_own_event(before.events, reviewer) or find_event_to_undo(before.events)
        if back is None:
            return []
    else:
        standing = {event.id: event for event in select_standing(before.events)}
        back = standing.get(event_id)
        if back is None:
            raise ChangedMeanwhileError(
                f"{before.session.id}: the label was taken back since it was shown"
            )
    if not reason and (back.reviewer != reviewer or back.via not in PEOPLE):
        raise GateError(
            f"{before.session.id}: the label is not this reviewer's: it is taken back only "
            "with a reason"
        )
    at = choose_event_time(before.events)
    replaced = find_last_event(before.events, back.field, back.turn)
    event = LabelEvent(
        id=make_event_id(at),
        at=at,
        replaces=None if replaced is None else replaced.id,
        undoes=back.id,
        reviewer=reviewer,
        field=back.field,
        turn=back.turn,
        before=back.after,
        after=back.before,
        reason=reason,
        via=via,
        blind=back.blind,
        seen=back.seen,
        audit=back.audit,
    )
    return [event]
