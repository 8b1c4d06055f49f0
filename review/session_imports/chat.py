"""Chat JSONL as OpenAI's tools write it: ``{"messages": [...]}`` on each line, a session each.

Older files have one call in ``function_call``, without an id: call and result are then joined by
the function's name.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from records.session import Session, SessionMessage, ToolCall
from review.session_imports.reading import (
    BadLine,
    UnknownShapeError,
    file_digest,
    list_of,
    made_session,
    object_of,
    objects_in,
    sessions_of_lines,
    text_at,
)

NAME = "chat"
_OTHER_NAMES = {"developer": "system", "function": "tool"}


def fits(data: bytes) -> bool:
    """Say whether a file looks like this."""
    return b'"messages"' in data.split(b"\n", 1)[0]


def sessions(path: Path, data: bytes) -> Iterator[Session | BadLine]:
    """Yield the session of each line, or why there is none."""
    digest = file_digest(data)

    def made(number: int, line: Mapping[str, Any]) -> Session:
        messages = [_message(one) for one in list_of(line.get("messages"), "messages")]
        return made_session(path, digest, NAME, messages, part=number)

    yield from sessions_of_lines(path, data, made)


def _message(given: object) -> SessionMessage:
    fields = object_of(given, "a message")
    role = text_at(fields, "role")
    listed = list_of(fields.get("tool_calls") or [], "tool_calls")
    calls = [object_of(one, "a call") for one in listed]
    if fields.get("function_call") is not None:
        function = object_of(fields["function_call"], "function_call")
        calls.append({"id": function.get("name"), "function": function})
    return SessionMessage.model_validate(
        {
            "role": _OTHER_NAMES.get(role, role),
            "text": content_text(fields.get("content")),
            "tool_calls": tuple(map(_call, calls)),
            "tool_call_id": fields.get("name" if role == "function" else "tool_call_id"),
        }
    )


def _call(fields: Mapping[str, Any]) -> ToolCall:
    function = object_of(fields.get("function"), "function")
    return ToolCall(
        id=text_at(fields, "id"),
        name=text_at(function, "name"),
        arguments=text_at(function, "arguments"),
    )


def content_text(content: object) -> str:
    """Return the text of a message's content: a text, nothing, or parts of which some are text.

    Raises:
        UnknownShapeError: it is something else.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise UnknownShapeError("content is neither a text nor a list of parts")
    texts = [one.get("text") for one in objects_in(content)]  # pyright: ignore[reportUnknownArgumentType]
    return "\n".join(text for text in texts if isinstance(text, str))
