"""Reader of an answer of Copilot Chat: pieces of text, calls of tools, edits of files."""

import json
from dataclasses import dataclass, field
from typing import Final

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_fields,
    find_text,
    get_object,
    get_text,
    list_objects,
    require_list,
    require_object,
)
from records.sessions.session import ToolCall
from review.session_imports.common.drafts import Draft

_TEXTS: Final = frozenset({"markdownContent", "markdownVuln"})
_EDITS: Final = frozenset({"textEditGroup", "textEdit", "notebookEditGroup", "notebookEdit"})
_EMPTY: Final = frozenset(
    {"undoStop", "codeblockUri", "mcpServersStarting", "prepareToolInvocation"}
)
"""Kinds of parts that control the display and have no part of the conversation."""


@dataclass
class _CopilotAnswer:
    """The answer so far. VS Code divides a text into pieces at the references in it."""

    draft: Draft
    results: Fields
    """The results of tools, by the ids of their calls."""
    pieces: list[str] = field(default_factory=list[str])

    def end_message(self, *calls: ToolCall) -> None:
        """Append the pieces so far as a message, with the calls after them."""
        text = "".join(self.pieces)
        self.pieces = []
        if text.strip() or calls:
            self.draft.add("assistant", text.strip("\n"), calls=calls)


def add_answer(request: Fields, draft: Draft) -> None:
    """Append the messages of an answer.

    Raises:
        UnknownShapeError: the answer is not a list of parts.
    """
    metadata = get_object(get_object(request, "result"), "metadata")
    answer = _CopilotAnswer(draft, get_object(metadata, "toolCallResults"))
    for part in require_list(request.get("response") or [], "response"):
        _take(require_object(part, "a part of the response"), answer)
    answer.end_message()


def _take(part: Fields, answer: _CopilotAnswer) -> None:
    kind = get_text(part, "kind")
    if not kind or kind in _TEXTS:
        answer.pieces.append(_read_markdown(part))
    elif kind == "inlineReference":
        answer.pieces.append(_format_reference(part))
    elif kind == "thinking":
        answer.draft.leave_out("reasoning")
    elif kind == "toolInvocationSerialized":
        _take_call(part, answer)
    elif kind in _EDITS:
        answer.draft.leave_out("file edit")
        answer.pieces.append(f"\n[file edit: {_read_file_name(part.get('uri'))}]\n")
    elif kind not in _EMPTY:
        answer.draft.leave_out(kind)


def _read_markdown(part: Fields) -> str:
    """Return the text of a piece.

    Raises:
        UnknownShapeError: the piece has no text.
    """
    for value in (part.get("value"), part.get("content")):
        text = as_fields(value).get("value", value)
        if isinstance(text, str):
            return text
    raise UnknownShapeError("a part of the response has no text")


def _format_reference(part: Fields) -> str:
    target = get_object(part, "inlineReference")
    name = find_text(part, "name") or find_text(target, "name")
    return f"`{name or _read_file_name(target.get('uri', target))}`"


def _read_file_name(uri: object) -> str:
    path = find_text(as_fields(uri), "path", "fsPath", "external") or uri
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2] if isinstance(path, str) else "?"


def _take_call(part: Fields, answer: _CopilotAnswer) -> None:
    """Append a call and its result; a call of a sub-agent is only counted."""
    if part.get("subAgentInvocationId"):
        answer.draft.leave_out("tool call of a helper")
        return
    name = find_text(part, "toolId", "toolName") or "tool"
    call = answer.draft.call(name, _read_arguments(part), part.get("toolCallId"))
    answer.end_message(call)
    result = _read_result(part, answer)
    if result is not None:
        answer.draft.add_result(result, call_id=call.id)


def _read_arguments(part: Fields) -> object:
    """Return the arguments of a call, as far as the session has them."""
    data = get_object(part, "toolSpecificData")
    if data.get("kind") == "input":
        return data.get("rawInput")
    if data.get("kind") == "terminal":
        line = get_object(data, "commandLine")
        command = find_text(line, "userEdited", "toolEdited", "original")
        return {"command": command or find_text(data, "command") or ""}
    details = get_object(part, "resultDetails")
    if text := find_text(details, "input"):
        return text
    if data:
        return {name: value for name, value in data.items() if name not in {"kind", "result"}}
    message = _read_message(part.get("invocationMessage"))
    return {"message": message} if message else {}


def _read_result(part: Fields, answer: _CopilotAnswer) -> str | None:
    """Return the result of a call; None if the session has none."""
    output: object = get_object(part, "resultDetails").get("output")
    if isinstance(output, str):
        return output
    outputs = list_objects(output) or [fields for fields in [as_fields(output)] if fields]
    texts = [_read_output(output, answer.draft) for output in outputs]
    stored = get_object(answer.results, str(part.get("toolCallId")))
    texts = texts or [
        _read_output(output, answer.draft) for output in list_objects(stored.get("content"))
    ]
    data = get_object(part, "toolSpecificData")
    terminal = find_text(get_object(data, "terminalCommandOutput"), "text")
    for text in ("\n".join(texts), terminal, find_text(data, "result")):
        if text:
            return text
    return _read_message(part.get("pastTenseMessage")) or None


def _read_output(output: Fields, draft: Draft) -> str:
    """Return the text of an output; a structured text becomes JSON, other data a mark."""
    kind = str(output.get("mimeType", ""))
    value = output.get("value")
    is_text = (
        isinstance(value, str)
        and (output.get("isText") is not False)
        and (not kind.startswith(("image/", "audio/", "video/")))
    )
    if is_text:
        return str(value)
    if value is not None and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    media = kind.partition("/")[0] if kind.startswith(("image/", "audio/", "video/")) else "file"
    draft.leave_out(media)
    return f"[{media}]"


def _read_message(message: object) -> str:
    text = as_fields(message).get("value", message)
    return text if isinstance(text, str) else ""
