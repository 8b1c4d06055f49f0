"""Claude Code transcripts: JSONL, in which lines that share a message id are one message.

Results of tools stand in lines of the user; lines of helpers (side chains), of the program itself
(meta) and summaries are no part of the conversation. Usage is repeated on each line of a message.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from records.problems import first_problem
from records.run import Tokens
from records.session import Session, SessionMessage, ToolCall
from review.session_imports.chat import content_text
from review.session_imports.reading import (
    BadLine,
    UnknownShapeError,
    file_digest,
    json_lines,
    made_session,
    moment,
    object_of,
    objects_in,
    text_at,
)

NAME = "claude_code"


def fits(data: bytes) -> bool:
    """Say whether a file looks like this."""
    head = data[:20_000]
    return b'"sessionId"' in head and b'"message"' in head


@dataclass
class _Conversation:
    """The conversation so far."""

    messages: list[SessionMessage] = field(default_factory=list[SessionMessage])
    places: dict[str, int] = field(default_factory=dict[str, int])
    """Of assistant messages by their ids."""
    project: str | None = None


def sessions(path: Path, data: bytes) -> Iterator[Session | BadLine]:
    """Yield the session of the file, and what of it could not be read."""
    reading = _Conversation()
    for number, line in json_lines(path, data):
        if isinstance(line, BadLine):
            yield line
            continue
        try:
            _take(reading, line)
        except UnknownShapeError as error:
            yield BadLine(path, number, str(error))
        except ValidationError as error:
            yield BadLine(path, number, first_problem(error))
    try:
        yield made_session(path, file_digest(data), NAME, reading.messages, project=reading.project)
    except UnknownShapeError as error:
        yield BadLine(path, 0, str(error))


def _take(reading: _Conversation, line: Mapping[str, Any]) -> None:
    if str(line.get("type")) not in {"user", "assistant"}:
        return
    if line.get("isMeta") or line.get("isSidechain"):
        return
    fields = object_of(line.get("message"), "message")
    if isinstance(line.get("cwd"), str):
        reading.project = reading.project or Path(line["cwd"]).name
    at = moment(line.get("timestamp"))
    if line["type"] == "assistant":
        _take_assistant(reading, fields, at)
    else:
        _take_user(reading, fields, at)


def _take_user(reading: _Conversation, fields: Mapping[str, Any], at: object) -> None:
    content = fields.get("content")
    for part in objects_in(content):
        if part.get("type") == "tool_result":
            reading.messages.append(
                SessionMessage.model_validate(
                    {
                        "role": "tool",
                        "text": content_text(part.get("content")),
                        "tool_call_id": text_at(part, "tool_use_id"),
                        "at": at,
                    }
                )
            )
    text = content_text(content)
    if text.strip():
        reading.messages.append(
            SessionMessage.model_validate({"role": "user", "text": text, "at": at})
        )


def _take_assistant(reading: _Conversation, fields: Mapping[str, Any], at: object) -> None:
    calls = tuple(
        ToolCall(
            id=text_at(part, "id"),
            name=text_at(part, "name"),
            arguments=json.dumps(part.get("input", {}), ensure_ascii=False),
        )
        for part in objects_in(fields.get("content"))
        if part.get("type") == "tool_use"
    )
    text = content_text(fields.get("content"))
    known = fields.get("id")
    if isinstance(known, str) and known in reading.places:
        place = reading.places[known]
        before = reading.messages[place]
        joined = "\n".join(part for part in (before.text, text) if part)
        reading.messages[place] = before.model_copy(
            update={"text": joined, "tool_calls": (*before.tool_calls, *calls)}
        )
        return
    if isinstance(known, str):
        reading.places[known] = len(reading.messages)
    reading.messages.append(
        SessionMessage.model_validate(
            {
                "role": "assistant",
                "text": text,
                "tool_calls": calls,
                "at": at,
                "model": fields.get("model"),
                "tokens": _tokens(fields.get("usage")),
            }
        )
    )


def _tokens(usage: object) -> Tokens | None:
    if not isinstance(usage, dict):
        return None
    fields = cast("Mapping[str, Any]", usage)
    read, written = fields.get("cache_read_input_tokens"), fields.get("cache_creation_input_tokens")
    fresh = fields.get("input_tokens")
    known = [one for one in (fresh, read, written) if isinstance(one, int)]
    return Tokens(
        input=sum(known) if known else None,
        cached_input=read if isinstance(read, int) else None,
        output=fields.get("output_tokens"),
        reasoning=None,
    )
