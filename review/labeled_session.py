"""A session with its present labels, by its log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from pydantic import JsonValue

from records.archives.archive import compute_list_digest
from records.sessions.event_order import select_standing
from records.sessions.labels import (
    PEOPLE,
    LabelEvent,
    LabelName,
    collect_turn_labels,
    find_differing_judgements,
)
from records.sessions.session import EvalStatus, Session
from review.transcripts import compute_transcript_digest

_LABELS: Final = {"eval_ready", "eval_status", "eval_notes", "eval_tags", "expected_output"}


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
        reviewers = [
            event.reviewer
            for event in reversed(select_standing(self.events))
            if event.field == "evalStatus"
            and event.turn is None
            and event.via in PEOPLE
            and event.reviewer is not None
        ]
        return list(dict.fromkeys(reviewers))

    @property
    def is_unjudged(self) -> bool:
        """True if no person has judged the present transcript."""
        return self.session.reviewed_at is None or self.is_stale

    def is_news(self, status: JsonValue, *, blind: bool) -> bool:
        """Return whether ``status``, given by a person, is an event even if it changes nothing."""
        undecided = self.is_unjudged or bool(find_differing_judgements(self.events))
        return blind or (undecided and status != EvalStatus.NEEDS_REVIEW)

    @property
    def version(self) -> str:
        """A digest of transcript and labels, which shows any change."""
        labels = self.session.model_dump_json(include=_LABELS)
        return compute_list_digest(self.transcript, labels, *(event.id for event in self.events))

    def get_labels(self, turn: int | None) -> Mapping[str, JsonValue]:
        """Return the labels of the session, or of one of its turns."""
        if turn is not None:
            return cast("Mapping[str, JsonValue]", self.turns.get(turn, {}))
        return self.session.model_dump(mode="json", by_alias=True, include=_LABELS)
