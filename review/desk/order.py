"""The order in which sessions are judged."""

from collections.abc import Sequence
from typing import Final

from review.index.session_index import WaitingSession

STATED: Final = (
    "first those drawn for an audit, then those that two reviewers judged differently, then those "
    "of evals that one model both passed and failed, then the oldest"
)
"""The order in words, for pages."""


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

    def rank(session: WaitingSession) -> int:
        if session.disputed:
            return 0
        return 1 if session.flips else 2

    unaudited = (session.id for session in sorted(waiting, key=rank))
    return list(dict.fromkeys((*audited, *disputed, *unaudited)))


def put_last(queued: Sequence[str], later: Sequence[str]) -> list[str]:
    """Return ``queued`` with the ids in ``later`` moved to the end, in the order of ``later``."""
    waiting, put_off = set(queued), set(later)
    return [
        *(session_id for session_id in queued if session_id not in put_off),
        *(session_id for session_id in later if session_id in waiting),
    ]


def find_next(queued: Sequence[str], current: str | None) -> str | None:
    """Return the id after ``current``, or else the first id; None if no other id is left."""
    if current is None or current not in queued:
        return queued[0] if queued else None
    index = queued.index(current)
    rotated = [*queued[index + 1 :], *queued[:index]]
    return rotated[0] if rotated else None
