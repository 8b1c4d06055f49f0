"""Hugging Face datasets: one row for each session, every column of one type, as JSONL."""

import json

from records.session import Session
from review.exports.rows import ExportOptions, SessionRows


def rows(session: Session, options: ExportOptions) -> SessionRows:
    """Return the session; calls of tools are JSON texts, for their arguments have any shape."""
    del options
    day, reviewed = session.created_at, session.reviewed_at
    row = {
        "id": session.id,
        "title": session.title,
        "model": session.model or "",
        "created_at": day.isoformat() if day else "",
        "messages": [
            {
                "role": one.role,
                "content": one.text,
                "tool_calls": json.dumps(
                    [call.model_dump(mode="json") for call in one.tool_calls], ensure_ascii=False
                ),
                "tool_call_id": one.tool_call_id or "",
            }
            for one in session.messages
        ],
        "status": session.eval_status.value,
        "tags": list(session.eval_tags),
        "notes": session.eval_notes,
        "expected_output": session.expected_output or "",
        "reviewed_at": reviewed.isoformat() if reviewed else "",
    }
    return SessionRows([row])
