"""OpenCode's `export`: one JSON object with `info` and `messages`, each of `info` and `parts`."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from records.problems import first_problem
from records.run import Tokens
from records.session import SessionMessage, ToolCall
from review.session_imports.adapter import ReadSession
from review.session_imports.reading import (
    BadLine,
    UnknownShapeError,
    list_of,
    moment,
    object_of,
    objects_in,
    text_at,
)
from review.session_imports.source_file import SourceFile

NAME = "opencode"


def recognises(source: SourceFile) -> bool:
    """Return whether the file is one object with `info` and with messages of `info` and `parts`."""
    if not source.is_one_object or not isinstance(source.one_object.get("info"), dict):
        return False
    return any("parts" in message for message in objects_in(source.one_object.get("messages")))


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield the session of the file, and the problems of what could not be read."""
    messages: list[SessionMessage] = []
    try:
        info = object_of(source.one_object.get("info"), "info")
        listed = list_of(source.one_object.get("messages"), "messages")
    except UnknownShapeError as error:
        yield source.problem(0, str(error))
        return
    for number, message in enumerate(listed, 1):
        try:
            messages += _messages(object_of(message, "a message"))
        except UnknownShapeError as error:
            yield source.problem(0, f"message {number}: {error}")
        except ValidationError as error:
            yield source.problem(0, f"message {number}: {first_problem(error)}")
    title, folder = info.get("title"), info.get("directory")
    yield ReadSession(
        messages,
        title=title if isinstance(title, str) else None,
        project=Path(folder).name if isinstance(folder, str) else None,
    )


def _messages(message: Mapping[str, Any]) -> list[SessionMessage]:
    """Return a message, and the results of the tools that it called."""
    info = object_of(message.get("info"), "info")
    listed = [object_of(part, "a part") for part in list_of(message.get("parts"), "parts")]
    text = "\n".join(text_at(one, "text") for one in listed if one.get("type") == "text")
    tools = [one for one in listed if one.get("type") == "tool"]
    time = info.get("time")
    begun = cast("Mapping[str, Any]", time).get("created") if isinstance(time, dict) else None
    said = SessionMessage.model_validate(
        {
            "role": text_at(info, "role"),
            "text": text,
            "tool_calls": tuple(map(_call, tools)),
            "at": moment(begun),
            "model": info.get("modelID"),
            "tokens": _tokens(info.get("tokens")),
            "cost_usd": info.get("cost"),
        }
    )
    results = [
        SessionMessage(role="tool", text=_result(one), tool_call_id=text_at(one, "callID"))
        for one in tools
    ]
    return [said, *results]


def _call(part: Mapping[str, Any]) -> ToolCall:
    state = object_of(part.get("state"), "state")
    return ToolCall(
        id=text_at(part, "callID"),
        name=text_at(part, "tool"),
        arguments=json.dumps(state.get("input", {}), ensure_ascii=False),
    )


def _result(part: Mapping[str, Any]) -> str:
    state = object_of(part.get("state"), "state")
    output = state.get("output", state.get("error", ""))
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)


def _tokens(tokens: object) -> Tokens | None:
    if not isinstance(tokens, dict):
        return None
    fields = cast("Mapping[str, Any]", tokens)
    cache = fields.get("cache")
    return Tokens(
        input=fields.get("input"),
        cached_input=cast("Mapping[str, Any]", cache).get("read")
        if isinstance(cache, dict)
        else None,
        output=fields.get("output"),
        reasoning=fields.get("reasoning"),
    )
