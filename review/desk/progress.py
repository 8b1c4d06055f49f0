"""Progress of a queue: how many of its sessions are judged, and how many are left."""

from dataclasses import dataclass

from review.audit.progress import AuditedIds
from review.desk.filters import words_of
from review.desk.pages import Desk
from review.selection import SessionSelection


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """How far the reviewer is with the sessions that "Judge next" leads to."""

    queue: str
    """The name of the queue."""
    total: int
    left: int

    @property
    def words(self) -> str:
        """The progress as pages show it."""
        judged = self.total - self.left
        return f"{self.queue}: {judged:,} of {self.total:,} judged, {self.left:,} left"


def queue_progress(desk: Desk, audited: AuditedIds, chosen: SessionSelection) -> QueueProgress:
    """Return the progress of the sessions that ``chosen`` selects.

    Without a filter, attempts that an audit drew come first, and are a queue of their own.
    """
    if audited.waiting and not chosen.selects_some:
        left = len(audited.waiting)
        return QueueProgress("Audit", audited.judged + left, left)
    total, left = desk.index.progress(audited.left_out_of(chosen), audited.disputed)
    words = words_of(chosen)
    return QueueProgress(f"{words[:1].upper()}{words[1:]}" or "All sessions", total, left)
