"""Fields of a session in the index, apart from its texts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache

from pydantic import TypeAdapter

from records.sessions.events import select_standing
from records.sessions.labels import PEOPLE, LabelEvent
from records.sessions.session import EvalStatus, Session
from records.shapes.base import compute_text_digest
from review.labeled_session import LabeledSession
from review.selection import get_source_name
from review.turns import find_judged_turn

_LONGEST_BEGINNING = 160
"""Characters of the beginning of an answer in lists."""


@dataclass(frozen=True, slots=True)
class IndexedSession:
    """A row of a list of sessions."""

    id: str
    title: str
    source: str
    """``attempt``, or the importer that read the session."""
    model: str | None
    eval: str | None
    """The eval of an attempt; None for other sessions."""
    created: str | None
    """When the conversation began, in UTC and ISO 8601; None if it was not recorded."""
    status: EvalStatus
    ready: bool
    tags: Sequence[str]
    reviewed: str | None
    """When a person last judged the session, in ISO 8601; None if nobody did."""
    stale: bool
    """True if the transcript changed since it was judged."""
    verdict: EvalStatus | None
    """The grader's verdict on an attempt; None for other sessions."""
    disputed: bool
    """True if reviewers judged the session differently, and nobody has decided."""
    run_hidden: bool
    """True if they did so blind, so that model and run are hidden."""
    answer: str
    """The beginning of the judged answer, on one line; empty if there is none."""
    judges: Sequence[str]
    """The pseudonyms of reviewers who judged, without judgements taken back; latest first."""

    def to_values(self) -> tuple[object, ...]:
        """Return the values of the columns for SQLite."""
        columns = {name: getattr(self, name) for name in COLUMNS}
        lists = {name: json.dumps(list(columns[name])) for name in ("tags", "judges")}
        return tuple((columns | lists).values())

    @staticmethod
    def from_values(values: Sequence[object]) -> "IndexedSession":
        """Return the row for columns that `to_values` returned."""
        columns = dict(zip(COLUMNS, values, strict=True))
        lists = {name: tuple(json.loads(str(columns[name]))) for name in ("tags", "judges")}
        return _get_adapter().validate_python(columns | lists)  # SQLite has no types of columns


@cache
def _get_adapter() -> TypeAdapter[IndexedSession]:
    return TypeAdapter(IndexedSession)


COLUMNS = tuple(field.name for field in fields(IndexedSession))
"""The columns of the table `session`."""


def make_alias(session_id: str) -> str:
    """Return a name of a session that discloses nothing; its id begins with the id of the run."""
    return compute_text_digest(f"blind {session_id}")[:24]


def make_index_row(labeled: LabeledSession) -> IndexedSession:
    """Return the row of a session in the index."""
    session = labeled.session
    attempt = session.source.kind == "attempt"
    judged = find_judged_turn(session)
    text = judged.answer if judged else ""
    return IndexedSession(
        id=session.id,
        title=session.title,
        source=get_source_name(session),
        model=session.model,
        eval=session.source.eval if session.source.kind == "attempt" else None,
        created=session.created_at.isoformat() if session.created_at else None,
        status=session.eval_status,
        ready=session.eval_ready,
        tags=session.eval_tags,
        reviewed=session.reviewed_at.isoformat() if session.reviewed_at else None,
        stale=labeled.is_stale,
        verdict=determine_verdict(session, labeled.events) if attempt else None,
        disputed=bool(labeled.differing),
        run_hidden=bool(labeled.blind_dispute),
        answer=" ".join(text[: 4 * _LONGEST_BEGINNING].split())[:_LONGEST_BEGINNING],
        judges=tuple(labeled.judges),
    )


def determine_verdict(session: Session, events: Sequence[LabelEvent]) -> EvalStatus:
    """Return the status of a session without the judgements of people."""
    status_events = [
        event for event in events if event.field == "evalStatus" and event.turn is None
    ]
    first = EvalStatus(str(status_events[0].before)) if status_events else session.eval_status
    graded = [event.after for event in select_standing(status_events) if event.via not in PEOPLE]
    return EvalStatus(str(graded[-1])) if graded else first
