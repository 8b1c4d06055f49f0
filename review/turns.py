"""The turns of a session: what was asked, and the answer that counts."""

from collections.abc import Sequence
from dataclasses import dataclass

from records.session import EvalStatus, Session, SessionMessage, ToolCall


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of the user with what followed until the next."""

    asked: str
    answer: str
    """The last text of the assistant that is not empty: agents announce, call tools, then answer;
    empty where there is none."""
    calls: Sequence[ToolCall]
    """Tools that were called on the way, in order."""
    earlier: Sequence[SessionMessage]
    """All messages before the request, without those of a program."""
    is_last: bool


def turns(session: Session) -> list[Turn]:
    """Return the turns of ``session``, those without an answer too.

    A program's messages are no part of any turn.
    """
    messages = [message for message in session.messages if message.role != "program"]
    starts = [place for place, message in enumerate(messages) if message.role == "user"]
    ends = [*starts[1:], len(messages)] if starts else []
    found: list[Turn] = []
    for start, end in zip(starts, ends, strict=True):
        replies = [one for one in messages[start + 1 : end] if one.role == "assistant"]
        texts = [one.text for one in replies if one.text.strip()]
        found.append(
            Turn(
                asked=messages[start].text,
                answer=texts[-1] if texts else "",
                calls=[call for one in replies for call in one.tool_calls],
                earlier=messages[:start],
                is_last=end == len(messages),
            )
        )
    return found


def ground_truth(session: Session, turn: Turn) -> str | None:
    """Return what the answer of ``turn`` should have been; null where nobody knows.

    That is the expected output, of the last turn; else the answer itself, where somebody judged the
    session golden or correct. What is incorrect or not judged is never ground truth.
    """
    if turn.is_last and session.expected_output:
        return session.expected_output
    approved = session.eval_status in {EvalStatus.GOLDEN, EvalStatus.CORRECT}
    return turn.answer or None if approved else None
