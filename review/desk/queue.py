"""The queue of sessions to judge: its order, the next session, and the progress."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from review.audits import AuditedIds
from review.desk.desk import Desk
from review.desk.filters import describe_selection
from review.index.indexed_session import make_alias
from review.index.session_index import WaitingSession
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


def order_queue(
    waiting: Sequence[WaitingSession],
    audited: Sequence[str],
    disputed: Sequence[str],
) -> list[str]:
    """Return the ids of the sessions to judge, in the order of judging.

    Args:
        waiting: the sessions that nobody judged, that changed since, or that two people judged
            differently, the oldest first.
        audited: ids of sessions that the reviewer is to judge for audits, in the audits' order.
        disputed: ids of sessions on which the judges of audits differ.
    """
    by_rank = sorted(waiting, key=lambda session: 0 if session.disputed else 2 - session.flips)
    return list(dict.fromkeys((*audited, *disputed, *(session.id for session in by_rank))))


def find_next(queued: Sequence[Waiting], current: Waiting | None) -> Waiting | None:
    """Return the item after ``current``, or else the first item; None if no other is left."""
    index = queued.index(current) if current in queued else len(queued)
    return next(iter((*queued[index + 1 :], *queued[:index])), None)


def list_queue(desk: Desk, audited: AuditedIds) -> list[str]:
    """Return the ids of all sessions to judge, in order; sessions put off come last."""
    queued = order_queue(desk.index.to_judge(), audited.waiting, audited.disputed)
    waiting, later = set(queued), desk.visits.list_put_off()
    return [
        *(session_id for session_id in queued if session_id not in later),
        *(session_id for session_id in later if session_id in waiting),
    ]


def select_queue(desk: Desk, audited: AuditedIds, chosen: SessionSelection) -> list[str]:
    """Return the ids of the sessions to judge that a filter selects, in order."""
    queued = list_queue(desk, audited)
    if not chosen.selects_some:
        return queued
    allowed = set(desk.index.list_ids(audited.restrict_selection(chosen)))
    return [session_id for session_id in queued if session_id in allowed]


def drop_session(queued: Sequence[str], alias: str) -> list[str]:
    """Return the beginning of a queue without the session with this alias."""
    remaining = (session_id for session_id in queued if make_alias(session_id) != alias)
    return [*islice(remaining, _LOOKED_AT)]


def select_free(desk: Desk, queued: Sequence[str]) -> list[str]:
    """Return the sessions of a queue that no other reviewer has open."""
    held_sessions = desk.visits.find_other_holders()
    return [session_id for session_id in queued if session_id not in held_sessions]


@dataclass(frozen=True, slots=True)
class QueueProgress:
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
