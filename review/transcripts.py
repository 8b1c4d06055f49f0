"""The digest of a transcript, by which a label is known to be of another one."""

from records.artifacts import digest_of
from records.session import Session


def transcript_digest(session: Session) -> str:
    """Return the SHA-256 of what a reviewer reads: roles, texts and calls of tools.

    That of a redacted copy is that of its source, so that labels of one are labels of the other.
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
    return digest_of(*parts)
