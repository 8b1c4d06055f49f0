"""Turns that several sessions hold, because a session is a fork of another.

Coding tools begin a fork with a copy of its parent. A copy has the texts and the times of the
original, so a turn is known again by all texts up to its end, and their times. Sessions whose
messages have no times are never taken for copies.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from records.sessions.session import Session, SessionMessage
from review.exports.rows import ExportedTurn


class _Copy(NamedTuple):
    """A turn that is a row."""

    session_id: str
    number: int
    rank: int
    """2 with an expected output, 1 where the labels of its session are about it, else 0."""


@dataclass(slots=True)
class RepeatedTurns:
    """The turns of an export that are left out, because another session has them too."""

    first_wins: bool = False
    """True if the first copy is the row, and not the copy with the best labels."""
    numbers: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    """By session: the numbers of its turns that are left out."""
    _rows: dict[bytes, _Copy] = field(default_factory=dict[bytes, _Copy])

    def add(self, session: Session, turns: Sequence[ExportedTurn]) -> int:
        """Take the turns of a session in, and return how many rows fewer there are by it.

        A turn with an expected output is always a row, for the label must not be lost.
        """
        fewer = 0
        by_number = {turn.turn.number: turn for turn in turns}
        for number, digest in _digests(session):
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


def _digests(session: Session) -> Iterator[tuple[int, bytes]]:
    """Yield for each turn its number and a digest of the conversation up to its end."""
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
        so_far.update(_bytes_of(message))
    if number:
        yield number, so_far.digest()


def _bytes_of(message: SessionMessage) -> bytes:
    at = message.at.isoformat() if message.at else ""
    calls = [(call.id, call.name, call.arguments) for call in message.tool_calls]
    return repr((message.role, at, message.text, message.tool_call_id, calls)).encode()
