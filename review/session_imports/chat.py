"""Chat JSONL as OpenAI's tools write it: ``{"messages": [...]}`` on each line, a session each.

Older files have one call in ``function_call``, without an id: call and result are then joined by
the function's name.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from records.session import SessionMessage, ToolCall
from review.session_imports.adapter import ReadSession, read_each
from review.session_imports.parts import text_of_content
from review.session_imports.reading import BadLine, list_of, object_of, text_at
from review.session_imports.source_file import Fields, SourceFile

NAME = "chat"
_OTHER_NAMES = {"developer": "system", "function": "tool"}


def recognises(source: SourceFile) -> bool:
    """Return whether a record has a list of messages."""
    return any(isinstance(record.get("messages"), list) for record in source.head)


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield the session of each record, or the reason why there is none."""
    yield from read_each(source, _session)


def _session(number: int, record: Fields) -> ReadSession:
    left_out = Counter[str]()
    listed = list_of(record.get("messages"), "messages")
    return ReadSession(
        [_message(object_of(fields, "a message"), left_out) for fields in listed],
        place=number,
        left_out=left_out,
    )


def _message(fields: Fields, left_out: Counter[str]) -> SessionMessage:
    role = text_at(fields, "role")
    listed = list_of(fields.get("tool_calls") or [], "tool_calls")
    calls = [object_of(call, "a call") for call in listed]
    if fields.get("function_call") is not None:
        function = object_of(fields["function_call"], "function_call")
        calls.append({"id": function.get("name"), "function": function})
    return SessionMessage.model_validate(
        {
            "role": _OTHER_NAMES.get(role, role),
            "text": text_of_content(fields.get("content"), left_out),
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
