"""Codex rollouts: JSONL, of which only `response_item` lines are the conversation.

Other lines repeat it for the program's own use. Calls and their results are joined by `call_id`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from records.problems import first_problem
from records.session import SessionMessage, ToolCall
from review.session_imports.adapter import ReadSession
from review.session_imports.parts import text_of_content
from review.session_imports.reading import (
    BadLine,
    UnknownShapeError,
    moment,
    object_of,
    text_at,
)
from review.session_imports.source_file import SourceFile

NAME = "codex"
_KINDS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


def recognises(source: SourceFile) -> bool:
    """Return whether a record is a rollout's: a kind, and a payload."""
    return any(
        str(record.get("type")) in _KINDS and isinstance(record.get("payload"), dict)
        for record in source.head
    )


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield the session of the file, and the problems of what could not be read."""
    messages: list[SessionMessage] = []
    left_out = Counter[str]()
    project: str | None = None
    for number, record in source.records():
        if isinstance(record, BadLine):
            yield record
            continue
        try:
            fields = object_of(record.get("payload"), "payload")
            if record.get("type") == "session_meta" and isinstance(fields.get("cwd"), str):
                project = Path(fields["cwd"]).name
            if record.get("type") == "response_item":
                messages += _messages(fields, moment(record.get("timestamp")), left_out)
        except UnknownShapeError as error:
            yield source.problem(number, str(error))
        except ValidationError as error:
            yield source.problem(number, first_problem(error))
    yield ReadSession(messages, project=project, left_out=left_out)


def _messages(
    fields: Mapping[str, Any], at: object, left_out: Counter[str]
) -> list[SessionMessage]:
    """Return the message that a payload is; none for reasoning and the like."""
    match fields.get("type"):
        case "message":
            role = _ROLES.get(text_at(fields, "role"))
            if role is None:
                raise UnknownShapeError(f"role {fields['role']} is not known")
            said: dict[str, Any] = {
                "role": role,
                "text": text_of_content(fields.get("content"), left_out),
            }
        case "function_call" | "custom_tool_call":
            name = "arguments" if fields["type"] == "function_call" else "input"
            call = ToolCall(
                id=text_at(fields, "call_id"),
                name=text_at(fields, "name"),
                arguments=text_at(fields, name),
            )
            said = {"role": "assistant", "text": "", "tool_calls": (call,)}
        case "function_call_output" | "custom_tool_call_output":
            said = {
                "role": "tool",
                "text": _output(fields.get("output"), left_out),
                "tool_call_id": text_at(fields, "call_id"),
            }
        case _:
            return []
    return [SessionMessage.model_validate(said | {"at": at})]


def _output(output: object, left_out: Counter[str]) -> str:
    if isinstance(output, dict):
        return text_of_content(cast("Mapping[str, Any]", output).get("content"), left_out)
    return text_of_content(output, left_out)
