"""Turns that several sessions of an export have, because a session is a fork of another session.

Coding tools begin a fork with a copy of its parent, in which texts and times are the same. So two
turns are copies if all texts and times up to their ends are equal. Sessions whose messages have no
times are never copies.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from records.sessions.session import Session, SessionMessage
from review.exports.rows import ExportedTurn


class _Copy(NamedTuple):
    """One of several equal turns."""

    session_id: str
    number: int
    rank: int
    """2 with an expected output, 1 if the session's labels are about the turn, else 0."""


@dataclass(slots=True)
class RepeatedTurns:
    """The turns of an export that are left out, because another session has the same turn."""

    first_wins: bool = False
    """True if the first copy becomes the row; if false, the copy with the highest rank does."""
    numbers: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    """Numbers of the turns that are left out, by session."""
    _rows: dict[bytes, _Copy] = field(default_factory=dict[bytes, _Copy])

    def add(self, session: Session, turns: Sequence[ExportedTurn]) -> int:
        """Add the turns of a session; return the number of rows that are left out in consequence.

        A turn with an expected output always becomes a row, because the label must not be lost.
        """
        fewer = 0
        by_number = {turn.turn.number: turn for turn in turns}
        for number, digest in _compute_digests(session):
            if (turn := by_number.get(number)) is None:
                continue
            rank = 2 if turn.expected else int(turn.turn.is_judged)
            copy, row = _Copy(session.id, number, rank), self._rows.get(digest)
            if row is None:
                self._rows[digest] = copy
                continue
            better = rank > row.rank and not self.first_wins
            dropped = row if better else copy
            if better:
                self._rows[digest] = copy
            if dropped.rank < 2:  # noqa: PLR2004 - the rank of an expected output
                self.numbers.setdefault(dropped.session_id, set()).add(dropped.number)
                fewer += 1
        return fewer


def _compute_digests(session: Session) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each turn with a digest of the conversation up to its end."""
    if session.source.kind != "file":
        return
    so_far, number = sha256(), 0
    for message in session.messages:
        if message.at is None:
            return
        if message.role == "program":
            continue
        if message.role == "user":
            if number:
                yield number, so_far.digest()
            number += 1
        so_far.update(_encode_message(message))
    if number:
        yield number, so_far.digest()


def _encode_message(message: SessionMessage) -> bytes:
    at = message.at.isoformat() if message.at else ""
    calls = [(call.id, call.name, call.arguments) for call in message.tool_calls]
    return repr((message.role, at, message.text, message.tool_call_id, calls)).encode()
