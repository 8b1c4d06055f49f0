"""Prompts of comparisons: the request of a session's judged turn, with the messages before it."""

from records.sessions.comparison import ComparedMessage, ComparedSession
from records.sessions.session import Session
from review.redaction import redact_text
from review.transcripts import compute_transcript_digest
from review.turns import OwnLabels, find_ground_truth, find_judged_turn


def make_compared_session(session: Session, own: OwnLabels | None = None) -> ComparedSession | str:
    """Return request and expected output of ``session``, or why it cannot be compared.

    Secrets are removed as in exports, because the prompt is sent to providers. The expected output
    is redacted, too. The labels of single turns, ``own``, come before those of the session.
    """
    judged = find_judged_turn(session)
    if judged is None or not judged.asked.strip():
        return "it has no request"
    expected = find_ground_truth(session, judged, own)
    if expected is None or not expected.strip():
        return "its expected answer is not known"
    if any(
        message.role == "tool" or message.tool_calls for message in session.messages[: judged.start]
    ):
        return "tools were called before its judged request, and models cannot be given these"
    messages = [
        ComparedMessage.model_validate({"role": message.role, "content": redact_text(message.text)})
        for message in session.messages[: judged.start]
        if message.text.strip() and message.role != "program"
    ]
    request = ComparedMessage(role="user", content=redact_text(judged.asked))
    return ComparedSession(
        session=session.id,
        seen=compute_transcript_digest(session),
        messages=(*messages, request),
        expected=redact_text(expected),
    )
