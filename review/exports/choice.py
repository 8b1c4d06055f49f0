"""Choice of the rows of a session in a format, before they are made, and labels without a row."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from records.text.numbers import format_count
from review.exports.prepared import NO_REQUEST, ExportedSession
from review.exports.rows import ExportedTurn, Row, explain_unusable

REPEATED: Final = "the turn repeats one of another session, from which it was forked"
EARLIER: Final = "an expected output of an earlier turn, where only the judged turn is a row"


@dataclass(frozen=True, slots=True)
class TurnRows:
    """The functions of a format whose rows are turns: one request and one answer."""

    row: Callable[[ExportedSession, ExportedTurn], Row]
    reason: Callable[[ExportedTurn], str | None] = explain_unusable
    """Returns why a turn is not a row; None if it is a row."""
    context: Literal["chat", "texts"] = "chat"
    """The form of the messages before a request: a checked chat, or only texts."""


@dataclass(frozen=True, slots=True)
class SessionRows:
    """The functions of a format whose rows are whole sessions."""

    row: Callable[[ExportedSession], Row]
    reason: Callable[[ExportedSession], str | None] = lambda _: None
    """Returns why a session is not a row; None if it is a row."""
    is_chat: bool = False
    """True if the row has the checked conversation that consumers of chats need."""
    expects: bool = True
    """True if rows have expected outputs, so that a session without a row loses its own. False for
    formats of scores."""


@dataclass(frozen=True, slots=True)
class SessionChoice:
    """The parts of a session that become rows, and those that do not."""

    turns: Sequence[ExportedTurn]
    """Turns that become rows; none in a format of whole sessions."""
    is_row: bool
    """True if the whole session becomes a row."""
    left_out: Sequence[str]
    """A reason for each turn, or for the session, that does not become a row."""
    cut: Counter[str]
    """Numbers of messages and calls that were removed from the conversation, by reason."""
    lost: Sequence[str]
    """A reason for each expected output that is in no row."""


def choose_rows(
    session: ExportedSession, rows: TurnRows | SessionRows, repeated: Collection[int] = ()
) -> SessionChoice:
    """Return the choice of rows of a session.

    Args:
        session: the session.
        rows: the functions of the format.
        repeated: numbers of turns that are rows of another session in the export.
    """
    if isinstance(rows, TurnRows):
        return _choose_turns(session, rows, repeated)
    reason = rows.reason(session)
    lost = [reason] if reason and rows.expects and _expects(session) else []
    chat = session.chat if rows.is_chat else ""
    cut = Counter[str]() if isinstance(chat, str) else chat.cut
    return SessionChoice((), reason is None, [reason] if reason else [], cut, lost)


def _choose_turns(
    session: ExportedSession, rows: TurnRows, repeated: Collection[int]
) -> SessionChoice:
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
    lost += _explain_lost_outputs(session)
    cut = session.context.cut if rows.context == "chat" and usable else Counter[str]()
    return SessionChoice(usable, is_row=False, left_out=left_out, cut=cut, lost=lost)


def _explain_lost_outputs(session: ExportedSession) -> Iterator[str]:
    """Yield a reason for each expected output whose turn is missing or repeats another session."""
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
