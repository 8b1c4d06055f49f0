"""Rows for Hugging Face datasets: one row for each session, with one type for each column.

A reader of JSON lines decides the type of a column by the first ten megabytes. So a value that may
be empty in all of them must have the same type when it is empty: lists of tags and labels are JSON
texts, and times have fractions of a second, because `datasets` takes shorter ones for timestamps
until the first empty text. Parquet has a schema, and holds the lists themselves.
"""

import json
from datetime import datetime
from typing import Final

from review.exports.prepared import ExportedSession
from review.exports.rows import Row

LISTS: Final = ("tags", "turn_labels")
"""The columns with lists that may be empty."""


def build_dataset_row(session: ExportedSession) -> Row:
    """Return the row of a session. Calls of tools are JSON texts, as their arguments vary."""
    record = session.session
    return {
        "id": record.id,
        "title": record.title,
        "model": record.model or "",
        "created_at": _format_time(record.created_at),
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
        "reviewed_at": _format_time(record.reviewed_at),
        "turn_labels": session.turn_labels,
    }


def build_text_row(session: ExportedSession) -> Row:
    """Return the row of a session for JSON lines, whose lists are JSON texts."""
    row = build_dataset_row(session)
    lists = {name: json.dumps(row[name], ensure_ascii=False) for name in LISTS}
    return {**row, **lists}


def _format_time(time: datetime | None) -> str:
    return time.isoformat(timespec="microseconds") if time else ""
