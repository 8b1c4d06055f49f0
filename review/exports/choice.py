"""The rows of a session in a format, before any of them is made, and the labels without a row."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from records.text.numbers import format_count
from review.exports.conversation import NO_REQUEST
from review.exports.prepared import ExportedSession
from review.exports.rows import ExportedTurn, Row, unusable

REPEATED: Final = "the turn repeats one of another session, from which it was forked"
EARLIER: Final = "an expected output of an earlier turn, where only the judged turn is a row"


@dataclass(frozen=True, slots=True)
class TurnRows:
    """Rows of a format of one request and one answer."""

    row: Callable[[ExportedSession, ExportedTurn], Row]
    reason: Callable[[ExportedTurn], str | None] = unusable
    """Returns why a turn is no row; null where it is a row."""
    context: Literal["chat", "texts"] = "chat"
    """True if the messages before a request are a checked chat, false if they are texts."""


@dataclass(frozen=True, slots=True)
class SessionRows:
    """Rows of a format of whole sessions."""

    row: Callable[[ExportedSession], Row]
    reason: Callable[[ExportedSession], str | None] = lambda _: None
    """Returns why a session is no row; null where it is a row."""
    is_chat: bool = False
    """True if the conversation is checked as consumers of chats do."""
    expects: bool = True
    """True if a session without a row loses its expected output: false for formats of scores."""


@dataclass(frozen=True, slots=True)
class SessionChoice:
    """The parts of a session that become rows, and the parts that do not."""

    turns: Sequence[ExportedTurn]
    """Turns that are rows; none in a format of sessions."""
    is_row: bool
    """True if the session itself is a row."""
    left_out: Sequence[str]
    """Why turns, or the session, are not among the rows: one reason each."""
    cut: Counter[str]
    """Messages and calls that were taken out of the conversation, by the reason."""
    lost: Sequence[str]
    """Expected outputs that reach no row: one reason each."""


def chosen_of(
    session: ExportedSession, rows: TurnRows | SessionRows, repeated: Collection[int] = ()
) -> SessionChoice:
    """Return the rows of a session.

    Args:
        session: the session.
        rows: the rows of the format.
        repeated: numbers of turns that another session of the export holds, too.
    """
    if isinstance(rows, TurnRows):
        return _turns_of(session, rows, repeated)
    reason = rows.reason(session)
    lost = [reason] if reason and rows.expects and _expects(session) else []
    chat = session.chat if rows.is_chat else ""
    cut = Counter[str]() if isinstance(chat, str) else chat.cut
    return SessionChoice((), reason is None, [reason] if reason else [], cut, lost)


def _turns_of(session: ExportedSession, rows: TurnRows, repeated: Collection[int]) -> SessionChoice:
    usable: list[ExportedTurn] = []
    left_out: list[str] = []
    lost: list[str] = []
    for turn in session.turns:
        if session.options.parts == "last" and not turn.turn.is_judged:
            left_out += [EARLIER] if turn.expected else []
            continue
        reason = rows.reason(turn)
        if reason is None and turn.turn.number in repeated:
            reason = REPEATED
        elif reason is not None and turn.expected:
            lost.append(f"turn {turn.turn.number}: {reason}")
        if reason is None:
            usable.append(turn)
        else:
            left_out.append(reason)
    if not session.turns:
        left_out.append(NO_REQUEST)
        lost += [NO_REQUEST] if session.session.expected_output else []
    lost += _lost_with_turns(session)
    cut = session.context.cut if rows.context == "chat" and usable else Counter[str]()
    return SessionChoice(usable, is_row=False, left_out=left_out, cut=cut, lost=lost)


def _lost_with_turns(session: ExportedSession) -> Iterator[str]:
    """Yield the expected outputs of turns that the session does not have, or has from another."""
    numbers = {turn.turn.number for turn in session.turns}
    requests = sum(message.role == "user" for message in session.session.messages)
    for number, labels in sorted(session.own.items()):
        if number in numbers or not labels.get("expectedOutput"):
            continue
        if number <= requests:
            yield f"turn {number}: it repeats a turn of the session from which this one was forked"
        else:
            yield f"turn {number}: the session has {format_count(requests, 'turn')}"


def _expects(session: ExportedSession) -> bool:
    own = any(labels.get("expectedOutput") for labels in session.own.values())
    return own or bool(session.session.expected_output)
