"""Progress of a queue: the numbers of its sessions that are judged and left."""

from dataclasses import dataclass
from typing import Final

from review.audit.audit_progress import AuditedIds
from review.desk.desk import Desk
from review.desk.filters import describe_selection
from review.selection import SessionSelection

_LONG_MINUTES: Final = 120
"""Minutes; a longer duration is shown in hours."""


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
        return f"{words}; {self.pace:,.0f} an hour: {_format_duration(self.left / self.pace)} to go"


def compute_queue_progress(
    desk: Desk, audited: AuditedIds, chosen: SessionSelection
) -> QueueProgress:
    """Return the progress of the sessions that ``chosen`` selects.

    Without a filter, attempts of audits come first, and are a queue of their own.
    """
    pace = desk.visits.compute_pace(desk.reviewer)
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


def _format_duration(hours: float) -> str:
    """Return a duration in words."""
    minutes = max(1, round(hours * 60))
    return f"{minutes} min" if minutes < _LONG_MINUTES else f"{hours:,.0f} h"
