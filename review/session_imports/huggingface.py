"""Rows of `leaderboard export --format huggingface`: sessions that others share, with labels."""

import json
from collections.abc import Iterator
from typing import Final

from records.session import SessionMessage
from review.session_imports.adapter import ReadSession, read_each
from review.session_imports.reading import BadLine, UnknownShapeError, list_of, object_of, text_at
from review.session_imports.source_file import Fields, SourceFile

NAME = "huggingface"


_COLUMNS: Final = frozenset({"messages", "expected_output", "reviewed_at"})


def recognises(source: SourceFile) -> bool:
    """Return whether a record has the columns of this export alone."""
    return any(record.keys() >= _COLUMNS for record in source.head)


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield the session of each row, or the reason why there is none."""
    yield from read_each(source, _session)


def _session(number: int, row: Fields) -> ReadSession:
    """Return the session of a row; its columns have no nulls, so an empty one is not known.

    The time of the row's judgement is left out: ``reviewedAt`` is that of a person here.
    """
    listed = list_of(row.get("messages"), "messages")
    return ReadSession(
        [_message(object_of(fields, "a message")) for fields in listed],
        identity=text_at(row, "id"),
        place=number,
        title=text_at(row, "title"),
        labels={
            "model": row.get("model") or None,
            "created_at": row.get("created_at") or None,
            "eval_status": row.get("status"),
            "eval_notes": row.get("notes"),
            "eval_tags": row.get("tags"),
            "expected_output": row.get("expected_output") or None,
        },
    )


def _message(fields: Fields) -> SessionMessage:
    try:
        calls: object = json.loads(text_at(fields, "tool_calls"))
    except (ValueError, RecursionError) as error:
        raise UnknownShapeError(f"tool_calls is not JSON: {error}") from error
    return SessionMessage.model_validate(
        {
            "role": text_at(fields, "role"),
            "text": text_at(fields, "content"),
            "tool_calls": tuple(list_of(calls, "tool_calls")),
            "tool_call_id": fields.get("tool_call_id") or None,
        }
    )
