"""A session with the labels that its log leaves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from pydantic import JsonValue

from records.archives.archive import digest_of
from records.sessions.event_order import standing
from records.sessions.labels import PEOPLE, LabelEvent, LabelName, differing, turn_labels
from records.sessions.session import EvalStatus, Session
from review.transcripts import transcript_digest

_LABELS: Final = {"eval_ready", "eval_status", "eval_notes", "eval_tags", "expected_output"}


@dataclass(frozen=True, slots=True)
class LabeledSession:
    """A session with the labels that its log leaves."""

    session: Session
    events: Sequence[LabelEvent]
    written: Sequence[LabelEvent] = field(default=(), compare=False)
    """The events among them that were written just now, where labels were set or taken back."""
    known_transcript: str | None = field(default=None, compare=False)
    """The digest of the transcript, where it is known; else it is computed at each use."""

    @property
    def transcript(self) -> str:
        """The digest of the transcript."""
        return self.known_transcript or transcript_digest(self.session)

    @property
    def turns(self) -> Mapping[int, Mapping[LabelName, JsonValue]]:
        """The labels of single turns, by the number of the turn from 1."""
        return turn_labels(self.events)

    @property
    def is_stale(self) -> bool:
        """True if the transcript changed since the status was judged last."""
        judged = [
            event.seen
            for event in standing(self.events)
            if event.field == "evalStatus" and event.turn is None
        ]
        return bool(judged) and judged[-1] != self.transcript

    @property
    def judges(self) -> Sequence[str]:
        """The pseudonyms of reviewers whose judgements stand, from the latest judgement on."""
        reviewers = [
            event.reviewer
            for event in reversed(standing(self.events))
            if event.field == "evalStatus"
            and event.turn is None
            and event.via in PEOPLE
            and event.reviewer is not None
        ]
        return list(dict.fromkeys(reviewers))

    @property
    def is_unjudged(self) -> bool:
        """True if no person judged the transcript as it is."""
        return self.session.reviewed_at is None or self.is_stale

    def is_news(self, status: JsonValue, *, blind: bool) -> bool:
        """Return whether a person who gives it the status that it has judges it anew."""
        undecided = self.is_unjudged or bool(differing(self.events))
        return blind or (undecided and status != EvalStatus.NEEDS_REVIEW)

    @property
    def version(self) -> str:
        """A digest that differs after any change of the transcript or of a label."""
        labels = self.session.model_dump_json(include=_LABELS)
        return digest_of(self.transcript, labels, *(event.id for event in self.events))

    def labels(self, turn: int | None) -> Mapping[str, JsonValue]:
        """Return the labels of the session, or of one of its turns."""
        if turn is not None:
            return cast("Mapping[str, JsonValue]", self.turns.get(turn, {}))
        return self.session.model_dump(mode="json", by_alias=True, include=_LABELS)
