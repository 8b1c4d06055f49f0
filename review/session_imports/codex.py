"""Codex rollouts: JSONL, of which only `response_item` lines are the conversation.

Other lines repeat it for the program's own use. Calls and their results are joined by `call_id`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from records.problems import first_problem
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
    text_at,
)

NAME = "codex"
_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


def fits(data: bytes) -> bool:
    """Say whether a file looks like this."""
    return b'"response_item"' in data and b'"payload"' in data[:20_000]


def sessions(path: Path, data: bytes) -> Iterator[Session | BadLine]:
    """Yield the session of the file, and what of it could not be read."""
    messages: list[SessionMessage] = []
    project: str | None = None
    for number, line in json_lines(path, data):
        if isinstance(line, BadLine):
            yield line
            continue
        try:
            fields = object_of(line.get("payload"), "payload")
            if line.get("type") == "session_meta" and isinstance(fields.get("cwd"), str):
                project = Path(fields["cwd"]).name
            if line.get("type") == "response_item":
                messages += _messages(fields, moment(line.get("timestamp")))
        except UnknownShapeError as error:
            yield BadLine(path, number, str(error))
        except ValidationError as error:
            yield BadLine(path, number, first_problem(error))
    try:
        yield made_session(path, file_digest(data), NAME, messages, project=project)
    except UnknownShapeError as error:
        yield BadLine(path, 0, str(error))


def _messages(fields: Mapping[str, Any], at: object) -> list[SessionMessage]:
    """Return the message that a payload is; none for reasoning and the like."""
    match fields.get("type"):
        case "message":
            role = _ROLES.get(text_at(fields, "role"))
            if role is None:
                raise UnknownShapeError(f"role {fields['role']} is not known")
            said: dict[str, Any] = {"role": role, "text": content_text(fields.get("content"))}
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
                "text": _output(fields.get("output")),
                "tool_call_id": text_at(fields, "call_id"),
            }
        case _:
            return []
    return [SessionMessage.model_validate(said | {"at": at})]


def _output(output: object) -> str:
    if isinstance(output, dict):
        return content_text(cast("Mapping[str, Any]", output).get("content"))
    return content_text(output)
