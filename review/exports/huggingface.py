"""Rows for Hugging Face datasets: one row for each session, with one type for each column."""

import json

from review.exports.prepared import ExportedSession
from review.exports.rows import Row


def build_dataset_row(session: ExportedSession) -> Row:
    """Return the row of a session. Calls of tools are JSON texts, as their arguments vary."""
    record = session.session
    day, reviewed = record.created_at, record.reviewed_at
    return {
        "id": record.id,
        "title": record.title,
        "model": record.model or "",
        "created_at": day.isoformat() if day else "",
        "messages": [
            {
                "role": message.role,
                "content": message.text,
                "tool_calls": json.dumps(
                    [call.model_dump(mode="json") for call in message.tool_calls],
                    ensure_ascii=False,
                ),
                "tool_call_id": message.tool_call_id or "",
            }
            for message in record.messages
        ],
        "ready": record.eval_ready,
        "status": record.eval_status.value,
        "tags": list(record.eval_tags),
        "notes": record.eval_notes,
        "expected_output": session.expected or "",
        "reviewed_at": reviewed.isoformat() if reviewed else "",
        "turn_labels": session.turn_labels,
    }
