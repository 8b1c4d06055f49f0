"""The queue of sessions to judge: its order, the next session, and the progress."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from review.audits import AuditedIds
from review.desk.desk import Desk
from review.desk.filters import describe_selection
from review.index.indexed_session import make_alias
from review.selection import SessionSelection

Waiting = TypeVar("Waiting")
"""What is to be judged."""

STATED = (
    "first those drawn for an audit, then those that two reviewers judged differently, then those "
    "of evals that one model both passed and failed, then the oldest"
)
"""The order in words, for pages."""
_LOOKED_AT = 100
"""Number of sessions of a queue among which a session that nobody else has open is searched."""
_LONG_MINUTES = 120
"""Minutes; a longer duration is shown in hours."""


def find_next(queued: Sequence[Waiting], current: Waiting | None) -> Waiting | None:
    """Return the item after ``current``, or else the first item; None if no other is left."""
    index = queued.index(current) if current in queued else len(queued)
    return next(iter((*queued[index + 1 :], *queued[:index])), None)


def select_queue(desk: Desk, audited: AuditedIds, chosen: SessionSelection) -> list[str]:
    """Return the ids of the sessions to judge that a filter selects, in the order of judging.

    Sessions that were put off come last.
    """
    queued = dict.fromkeys((*audited.waiting, *audited.disputed, *desk.index.to_judge()))
    allowed = queued.keys()
    if chosen.selects_some:
        allowed &= set(desk.index.list_ids(audited.restrict_selection(chosen)))
    later = desk.visits.list_put_off()
    in_order = (*(session_id for session_id in queued if session_id not in later), *later)
    return [session_id for session_id in in_order if session_id in allowed]


def drop_session(queued: Sequence[str], alias: str) -> list[str]:
    """Return the beginning of a queue without the session with this alias."""
    remaining = (session_id for session_id in queued if make_alias(session_id) != alias)
    return [*islice(remaining, _LOOKED_AT)]


def select_free(desk: Desk, queued: Sequence[str]) -> list[str]:
    """Return the sessions of a queue that no other reviewer has open."""
    held_sessions = desk.visits.find_other_holders()
    return [session_id for session_id in queued if session_id not in held_sessions]


class QueueProgress(NamedTuple):
    """The reviewer's progress with the sessions to which "Judge next" leads."""

    queue: str
    """The name of the queue."""
    total: int
    left: int
    pace: float | None = None
    """The reviewer's judgements in an hour; None if there are too few."""

    @property
    def words(self) -> str:
        """The progress in words, for pages."""
        judged = self.total - self.left
        words = f"{self.queue}: {judged:,} of {self.total:,} judged, {self.left:,} left"
        if self.pace is None or not self.left:
            return words
        hours = self.left / self.pace
        minutes = max(1, round(hours * 60))
        duration = f"{minutes} min" if minutes < _LONG_MINUTES else f"{hours:,.0f} h"
        return f"{words}; {self.pace:,.0f} an hour: {duration} to go"


def compute_queue_progress(
    desk: Desk, audited: AuditedIds, chosen: SessionSelection
) -> QueueProgress:
    """Return the progress of the sessions that ``chosen`` selects.

    Without a filter, attempts of audits come first, and are a queue of their own.
    """
    pace = desk.visits.compute_pace()
    if audited.waiting and not chosen.selects_some:
        remaining = len(audited.waiting)
        return QueueProgress("Audit", audited.judged + remaining, remaining, pace)
    total, remaining = desk.index.count_progress(
        audited.restrict_selection(chosen), audited.disputed
    )
    words = describe_selection(chosen)
    return QueueProgress(
        f"{words[:1].upper()}{words[1:]}" or "All sessions", total, remaining, pace
    )
