"""Rows of `leaderboard export --format huggingface`: sessions that others share, with labels."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from records.session import Session, SessionMessage
from review.session_imports.reading import (
    BadLine,
    UnknownShapeError,
    file_digest,
    list_of,
    made_session,
    object_of,
    sessions_of_lines,
    text_at,
)

NAME = "huggingface"


def fits(data: bytes) -> bool:
    """Say whether a file looks like this."""
    head = data.split(b"\n", 1)[0]
    return all(name in head for name in (b'"messages"', b'"expected_output"', b'"reviewed_at"'))


def sessions(path: Path, data: bytes) -> Iterator[Session | BadLine]:
    """Yield the session of each line, or why there is none."""
    digest = file_digest(data)
    yield from sessions_of_lines(path, data, lambda _, line: _session(path, digest, line))


def _session(path: Path, digest: str, row: Mapping[str, Any]) -> Session:
    """Return the session of a row; its columns have no nulls, so what is empty is not known.

    When the row's session was judged is left out: ``reviewedAt`` says when a person here did.
    """
    listed = list_of(row.get("messages"), "messages")
    messages = [_message(object_of(one, "a message")) for one in listed]
    identity, title = text_at(row, "id"), text_at(row, "title")
    made = made_session(path, digest, NAME, messages, identity=identity, title=title)
    labels = {
        "model": row.get("model") or None,
        "created_at": row.get("created_at") or None,
        "eval_status": row.get("status"),
        "eval_notes": row.get("notes"),
        "eval_tags": row.get("tags"),
        "expected_output": row.get("expected_output") or None,
    }
    return Session.model_validate(dict(made) | labels)


def _message(fields: Mapping[str, Any]) -> SessionMessage:
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
