"""Digest of a transcript, which shows whether a label is stale."""

from records.archives.archive import compute_list_digest
from records.sessions.session import Session


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
