"""Turns of a session: requests with their answers, and the turn that a session's labels judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pydantic import JsonValue

from records.sessions.labels import LabelName
from records.sessions.session import EvalStatus, Session, ToolCall
from records.shapes.base import compute_list_digest


def compute_transcript_digest(session: Session) -> str:
    """Return the SHA-256 of the parts that a reviewer reads: roles, texts and calls of tools.

    A redacted copy has the digest of its raw session, so that labels count for both.
    """
    if session.source_digest is not None:
        return session.source_digest
    parts = (
        part
        for message in session.messages
        for part in (
            message.role,
            message.text,
            message.tool_call_id or "",
            *(text for call in message.tool_calls for text in (call.id, call.name, call.arguments)),
        )
    )
    return compute_list_digest(*parts)


OwnLabels = Mapping[int, Mapping[LabelName, JsonValue]]
"""The labels of single turns, by the number of the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One request of the user with the messages until the next request, and its labels."""

    number: int
    """Number of the turn in the session, from 1."""
    start: int
    """Index of the request in the messages of the session."""
    asked: str
    """The text of the request."""
    answer: str
    """The last text of the assistant that is not empty, because agents write texts between calls of
    tools. Empty if the answer has only calls of tools, or is missing."""
    answer_place: int | None
    """Index of the message with the answer: the last text, or the last calls without any text. None
    if there is neither."""
    calls: Sequence[ToolCall]
    """All calls of tools in the turn, in order."""
    is_judged: bool = False
    """True if the labels of the session are about this turn."""
    status: EvalStatus
    """The turn's own status, or else that of the session."""
    notes: str
    """The turn's own notes, or else those of the session."""
    expected: str | None
    """The turn's own expected output; for the judged turn, else that of the session."""

    @property
    def is_answered(self) -> bool:
        """True if the assistant answered, with text or with calls of tools."""
        return self.answer_place is not None

    @property
    def truth(self) -> str | None:
        """The right answer; None if it is not known.

        This is the expected output, or else the answer itself if its status is golden or correct.
        An incorrect or unjudged answer is never ground truth.
        """
        approved = self.status in {EvalStatus.GOLDEN, EvalStatus.CORRECT}
        return self.expected or (self.answer or None if approved else None)


def list_turns(
    session: Session, judged: int | None = None, own: OwnLabels | None = None
) -> list[Turn]:
    """Return the turns of ``session``, including those without an answer.

    Turns that a fork repeats from its original are left out, but count in the numbers.

    Args:
        session: the session with its labels.
        judged: the number of the judged turn, if it is known. If None, this is the last turn with
            an answer, or the last turn if there is no answer.
        own: the labels of single turns.
    """
    messages = session.messages
    starts = [index for index, message in enumerate(messages) if message.role == "user"]
    listed: list[Turn] = []
    for number, (start, end) in enumerate(pairwise([*starts, len(messages)]), 1):
        if messages[start].repeated:
            continue
        replies = [index for index in range(start + 1, end) if messages[index].role == "assistant"]
        texts = [index for index in replies if messages[index].text.strip()]
        answers = texts or [index for index in replies if messages[index].tool_calls]
        labels = (own or {}).get(number, {})
        turn = Turn(
            number=number,
            start=start,
            asked=messages[start].text,
            answer=messages[texts[-1]].text if texts else "",
            answer_place=answers[-1] if answers else None,
            calls=[call for index in replies for call in messages[index].tool_calls],
            status=EvalStatus(str(labels.get("evalStatus") or session.eval_status)),
            notes=str(labels.get("evalNotes") or session.eval_notes),
            expected=str(labels.get("expectedOutput") or "") or None,
        )
        listed.append(turn)
    if judged is None:
        judged = max((turn.number for turn in listed if turn.is_answered), default=len(starts))
    return [
        replace(turn, is_judged=True, expected=turn.expected or session.expected_output or None)
        if turn.number == judged
        else turn
        for turn in listed
    ]


def find_judged_turn(session: Session, own: OwnLabels | None = None) -> Turn | None:
    """Return the turn that the labels of ``session`` are about; None without a request."""
    return next((turn for turn in list_turns(session, own=own) if turn.is_judged), None)
