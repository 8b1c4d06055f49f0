"""Prompts of comparisons: the last request of a session, with what was said before it."""

from records.comparison import ComparedMessage, ComparedSession
from records.session import Session
from review.redaction import redacted
from review.store import transcript_digest
from review.turns import ground_truth, turns


def compared_session(session: Session) -> ComparedSession | str:
    """Return what is asked and expected of ``session``, or why it cannot be compared.

    Secrets are taken out, as they are of exports: the prompt goes to providers. An expected output
    that holds one is then compared without it.
    """
    found = turns(session)
    if not found or not found[-1].asked.strip():
        return "it has no request"
    last = found[-1]
    expected = ground_truth(session, last)
    if expected is None or not expected.strip():
        return "nobody knows what was expected"
    if any(one.role == "tool" or one.tool_calls for one in last.earlier):
        return "tools were called before its last request, and models cannot be given these"
    messages = [
        ComparedMessage.model_validate({"role": one.role, "content": redacted(one.text)})
        for one in last.earlier
        if one.text.strip()
    ]
    asked = ComparedMessage(role="user", content=redacted(last.asked))
    return ComparedSession(
        session=session.id,
        seen=transcript_digest(session),
        messages=(*messages, asked),
        expected=redacted(expected),
    )
