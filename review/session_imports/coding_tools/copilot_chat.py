"""Sessions of GitHub Copilot Chat in VS Code: exports (``chat.json``) and stored sessions.

A stored session is one JSON object, or since 2026 a log of its changes with one on each line.
Events of the agent have a reader of their own.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, cast

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_fields,
    as_items,
    count_items,
    find_text,
    get_count,
    get_object,
    get_text,
    list_objects,
    parse_moment,
    require_list,
    require_object,
)
from records.foreign.usage import TokenReport
from records.sessions.session import ToolCall
from records.shapes.attempt import Tokens
from review.session_imports.coding_tools.copilot_events import is_event, read_events
from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import SourceFile

NAME = "copilot_chat"
_EMPTY = frozenset({"undoStop", "codeblockUri", "mcpServersStarting", "prepareToolInvocation"})
"""Kinds of parts that control the display and have no part of the conversation."""
_INITIAL = 0
_SET = 1
_PUSH = 2
_DELETE = 3


def recognises(source: SourceFile) -> bool:
    """Return whether the file is a session, the log of a session, or events of a session."""
    return any(
        is_event(record)
        or _is_session(get_object(record, "v") if is_initial_state(record) else record)
        for record in source.head
    )


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield each session of a file, and report each part that could not be read."""
    if any(map(is_event, source.head)):
        yield read_events(source)
        return
    sessions: list[tuple[int, Fields]] = []
    for number, record in source.read_records():
        if is_initial_state(record):
            sessions.append((number, record["v"]))
        elif "requests" in record:
            sessions.append((number, record))
        elif not sessions:
            source.report_problem(number, "stands before the first state of a session")
        else:
            with source.catch_problems(number):
                apply_change(record, sessions[-1][1])
    for number, session in sessions:
        with source.catch_problems(number):
            yield _read_session(number, session)


def _is_session(record: Fields) -> bool:
    if not isinstance(record.get("requests"), list):
        return False
    names = ("responderUsername", "requesterUsername", "initialLocation")
    return any(name in record for name in names) or any(
        "message" in request and "response" in request
        for request in list_objects(record["requests"])
    )


@dataclass
class _CopilotChat(Draft):
    """The conversation so far. VS Code divides a text into pieces at the references in it."""

    results: Fields = field(default_factory=dict[str, object])
    """The results of tools in the answer that is read, by the ids of their calls."""
    pieces: list[str] = field(default_factory=list[str])

    def end_message(self, *calls: ToolCall) -> None:
        """Append the pieces so far as a message, with the calls after them."""
        text = "".join(self.pieces)
        self.pieces = []
        self.add_spoken("assistant", text.strip("\n"), calls=calls)


def _read_session(record_number: int, session: Fields) -> Draft:
    """Return the conversation of a session.

    Raises:
        UnknownShapeError: the session has no list of requests.
    """
    draft = _CopilotChat(
        may_be_empty=True,
        place=record_number,
        identity=find_text(session, "sessionId"),
        title=find_text(session, "customTitle", "computedTitle"),
        created_at=parse_moment(session.get("creationDate")),
    )
    for number, request in enumerate(require_list(session.get("requests"), "requests"), 1):
        with draft.catch_problems(f"request {number}"):
            _add_request(require_object(request, "it"), draft)
    return draft


def _add_request(request: Fields, draft: _CopilotChat) -> None:
    """Append a request with a mark for each attachment, and its answer.

    A request that was taken back is only counted.
    """
    if request.get("isHidden") or request.get("shouldBeRemovedOnSend"):
        draft.leave_out("message taken back", 2 if request.get("response") else 1)
        return
    at = parse_moment(request.get("timestamp"))
    message: object = request.get("message")
    if not isinstance(message, str):
        # Older versions have the text of a request only in parts.
        fields = require_object(message, "message")
        parts = list_objects(fields.get("parts"))
        joined = "".join(get_text(part, "text") for part in parts) if parts else None
        message = fields.get("text", joined)
    if not isinstance(message, str):
        raise UnknownShapeError("message has no text")
    texts = [message]
    for variable in list_objects(get_object(request, "variableData").get("variables")):
        is_image = variable.get("kind") == "image" or variable.get("isImage") is True
        texts.append(draft.mark_file(find_text(variable, "name"), is_image=is_image))
    draft.add("user", "\n".join(texts), at=at)
    result = get_object(request, "result")
    draft.results = get_object(get_object(result, "metadata"), "toolCallResults")
    draft.pieces = []  # those of an answer before it that could not be read
    for part in require_list(request.get("response") or [], "response"):
        _take(require_object(part, "a part of the response"), draft)
    draft.end_message()
    failed = get_object(result, "errorDetails") or get_object(request, "responseErrorDetails")
    draft.add_spoken("program", get_text(failed, "message"))
    draft.mark_last_answer(
        model=find_text(request, "modelId"),
        tokens=_read_usage(request),
        at=parse_moment(get_object(request, "modelState").get("completedAt")),
    )
    draft.leave_out("reference", count_items(request, "contentReferences"))
    draft.leave_out("citation", count_items(request, "codeCitations"))
    draft.leave_out("proposed request", count_items(request, "followups"))


def _read_usage(request: Fields) -> Tokens | None:
    usage = get_object(request, "usage")
    metadata = get_object(get_object(request, "result"), "metadata")
    prompt = get_count(usage, "promptTokens")
    completion = get_count(usage, "completionTokens")
    prompt = get_count(metadata, "promptTokens") if prompt is None else prompt
    completion = get_count(metadata, "outputTokens") if completion is None else completion
    return TokenReport(input=prompt, output=completion).as_tokens()


def _take(part: Fields, draft: _CopilotChat) -> None:
    kind = get_text(part, "kind")
    if not kind or kind in {"markdownContent", "markdownVuln"}:
        texts = (_find_message(part.get(name)) for name in ("value", "content"))
        text = next((text for text in texts if text is not None), None)
        if text is None:
            raise UnknownShapeError("a part of the response has no text")
        draft.pieces.append(text)
    elif kind == "inlineReference":
        target = get_object(part, "inlineReference")
        name = find_text(part, "name") or find_text(target, "name")
        draft.pieces.append(f"`{name or _read_file_name(target.get('uri', target))}`")
    elif kind == "thinking":
        draft.leave_out("reasoning")
    elif kind == "toolInvocationSerialized":
        _take_call(part, draft)
    elif kind in {"textEditGroup", "textEdit", "notebookEditGroup", "notebookEdit"}:
        draft.leave_out("file edit")
        draft.pieces.append(f"\n[file edit: {_read_file_name(part.get('uri'))}]\n")
    elif kind not in _EMPTY:
        draft.leave_out(kind)


def _read_file_name(uri: object) -> str:
    path = find_text(as_fields(uri), "path", "fsPath", "external") or uri
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2] if isinstance(path, str) else "?"


def _take_call(part: Fields, draft: _CopilotChat) -> None:
    """Append a call and its result; a call of a sub-agent is only counted."""
    if part.get("subAgentInvocationId"):
        draft.leave_out("tool call of a helper")
        return
    name = find_text(part, "toolId", "toolName") or "tool"
    call = draft.call(name, _read_arguments(part), part.get("toolCallId"))
    draft.end_message(call)
    result = _read_result(part, draft)
    if result is not None:
        draft.add_result(result, call_id=call.id)


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
    message = _find_message(part.get("invocationMessage"))
    return {"message": message} if message else {}


def _read_result(part: Fields, draft: _CopilotChat) -> str | None:
    """Return the result of a call; None if the session has none."""
    output: object = get_object(part, "resultDetails").get("output")
    if isinstance(output, str):
        return output
    outputs = list_objects(output) or [fields for fields in [as_fields(output)] if fields]
    texts = [_read_output(output, draft) for output in outputs]
    stored = get_object(draft.results, str(part.get("toolCallId")))
    texts = texts or [_read_output(output, draft) for output in list_objects(stored.get("content"))]
    data = get_object(part, "toolSpecificData")
    terminal = find_text(get_object(data, "terminalCommandOutput"), "text")
    for text in ("\n".join(texts), terminal, find_text(data, "result")):
        if text:
            return text
    return _find_message(part.get("pastTenseMessage")) or None


def _read_output(output: Fields, draft: Draft) -> str:
    """Return the text of an output; a structured text becomes JSON, other data a mark."""
    kind = str(output.get("mimeType", ""))
    value = output.get("value")
    is_media = kind.startswith(("image/", "audio/", "video/"))
    if isinstance(value, str) and output.get("isText") is not False and not is_media:
        return value
    if value is not None and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return draft.mark(kind.partition("/")[0] if is_media else "file")


def _find_message(message: object) -> str | None:
    """Return the text of a message, which may be in an object; None if it has none."""
    text = as_fields(message).get("value", message)
    return text if isinstance(text, str) else None


def is_initial_state(entry: Fields) -> bool:
    """Return whether an entry of a log is the first state of an object."""
    return entry.get("kind") == _INITIAL and isinstance(entry.get("v"), dict)


def apply_change(entry: Fields, state: object) -> None:
    """Apply a later entry of a log to the object ``state``.

    Raises:
        UnknownShapeError: the entry has another shape, or the object has nothing at its path.
    """
    path = require_list(entry.get("k"), "k")
    if not path:
        raise UnknownShapeError("the path is empty")
    kind = entry.get("kind")
    holder = reduce(_get_item, path[:-1], state)
    if kind == _SET:
        _set(holder, path[-1], entry.get("v"))
    elif kind == _PUSH:
        _push(holder, path[-1], entry)
    elif kind == _DELETE and isinstance(holder, dict) and isinstance(path[-1], str):
        cast("dict[str, Any]", holder).pop(path[-1], None)
    else:
        raise UnknownShapeError(f"entry of kind {str(kind)[:20]} is not known")


def _get_item(holder: object, key: object) -> object:
    fields, items = as_fields(holder), as_items(holder)
    if isinstance(key, str) and key in fields:
        return fields[key]
    if isinstance(key, int) and 0 <= key < len(items):
        return items[key]
    raise UnknownShapeError(f"the path leads nowhere at {str(key)[:40]}")


def _set(holder: object, key: object, value: object) -> None:
    if isinstance(holder, dict) and isinstance(key, str):
        cast("dict[str, object]", holder)[key] = value
        return
    if isinstance(holder, list) and isinstance(key, int):
        items = cast("list[object]", holder)
        if 0 <= key <= len(items):
            items[key : key + 1] = [value]
            return
    raise UnknownShapeError(f"the path leads nowhere at {str(key)[:40]}")


def _push(holder: object, key: object, entry: Fields) -> None:
    """Append values to a list; if the entry has ``i``, the list is first cut to this length."""
    if isinstance(key, str) and key not in as_fields(holder):
        _set(holder, key, [])
    items = require_list(_get_item(holder, key), "the list")
    cut = entry.get("i")
    if isinstance(cut, int) and cut >= 0:
        del items[cut:]
    items.extend(require_list(entry.get("v") or [], "v"))
