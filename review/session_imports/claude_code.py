"""Claude Code transcripts: JSONL, in which lines that share a message id are one message.

Results of tools stand in lines of the user; lines of helpers (side chains), of the program itself
(meta) and summaries are no part of the conversation. Usage is repeated on each line of a message.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from records.problems import first_problem
from records.run import Tokens
from records.session import SessionMessage, ToolCall
from review.session_imports.adapter import ReadSession
from review.session_imports.parts import text_of_content
from review.session_imports.reading import (
    BadLine,
    UnknownShapeError,
    moment,
    object_of,
    objects_in,
    text_at,
)
from review.session_imports.source_file import Fields, SourceFile

NAME = "claude_code"


def recognises(source: SourceFile) -> bool:
    """Return whether a record names its session and its kind, or is one that only they have."""
    return any(map(_is_known, source.head))


def _is_known(record: Fields) -> bool:
    kind = record.get("type")
    if kind == "file-history-snapshot":
        return isinstance(record.get("snapshot"), dict)
    if kind == "summary":
        return isinstance(record.get("leafUuid"), str)
    return isinstance(record.get("sessionId"), str) and isinstance(kind, str)


@dataclass
class _Conversation:
    """The conversation so far."""

    messages: list[SessionMessage] = field(default_factory=list[SessionMessage])
    places: dict[str, int] = field(default_factory=dict[str, int])
    """Of assistant messages by their ids."""
    project: str | None = None
    left_out: Counter[str] = field(default_factory=Counter[str])


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield the session of the file, and the problems of what could not be read."""
    reading = _Conversation()
    for number, record in source.records():
        if isinstance(record, BadLine):
            yield record
            continue
        try:
            _take(reading, record)
        except UnknownShapeError as error:
            yield source.problem(number, str(error))
        except ValidationError as error:
            yield source.problem(number, first_problem(error))
    yield ReadSession(reading.messages, project=reading.project, left_out=reading.left_out)


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
                        "text": text_of_content(part.get("content"), reading.left_out),
                        "tool_call_id": text_at(part, "tool_use_id"),
                        "at": at,
                    }
                )
            )
    text = text_of_content(content, reading.left_out)
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
    text = text_of_content(fields.get("content"), reading.left_out)
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
