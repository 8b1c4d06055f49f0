"""Rows of chats in the formats of OpenAI's tools, of its Responses API and of Anthropic's API.

A chat is ``{"messages": [...]}``. Older rows have one call in ``function_call``, without an id.
Then call and result are joined by the function's name.

A row may have a request and its reply: ``choices`` beside ``messages``, or ``request`` and
``response``. A file may also be one chat, of which each record is a message.
"""

from collections.abc import Iterator, Mapping
from typing import cast

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_fields,
    count_items,
    find_text,
    get_object,
    get_text,
    list_objects,
    parse_moment,
    require_list,
    require_object,
    require_text,
)
from records.foreign.usage import read_token_report
from records.sessions.session import ToolCall
from review.session_imports.common.drafts import Draft, as_unique_name, format_call_mark
from review.session_imports.common.source_file import SourceFile

ROLES: Mapping[str, str] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "gpt": "assistant",
    "tool": "tool",
    "function": "tool",
}
REPLY_FIELDS = (
    *("id", "object", "model", "usage", "created_at", "title"),
    *("request", "response"),
)
"""Fields that rows of all providers' APIs have, beside those of requests and replies."""

_CHAT_TIMES = ("created_at", "created", "timestamp")
_CHAT_REASONING = ("reasoning", "reasoning_content", "reasoning_details", "thinking")
_CHAT_MESSAGE_FIELDS = frozenset(
    {
        *("role", "name", "content", "refusal", "audio", "annotations"),
        *("tool_calls", "tool_call_id", "function_call"),
        *("id", "model", "usage", *_CHAT_TIMES, *_CHAT_REASONING),
    }
)


def is_chat(row: Fields) -> bool:
    """Return whether a row is a chat, a reply, or a request with its reply."""
    if isinstance(row.get("messages"), list):
        messages = list_objects(row["messages"])
        return not messages or any("role" in message for message in messages)
    if any("message" in choice for choice in list_objects(row.get("choices"))):
        return row.get("object", "chat.completion") == "chat.completion"
    request, response = row.get("request"), row.get("response")
    return (
        isinstance(request, dict)
        and isinstance(response, dict)
        and ("messages" in request and "choices" in response)
    )


def read_chat(row: Fields) -> Draft:
    """Return the conversation of a row.

    Raises:
        UnknownShapeError: a message is damaged, or the row compares two answers.
    """
    if row.get("chosen") is not None and row.get("rejected") is not None:
        raise UnknownShapeError(
            "is a preference row (chosen, rejected): a session holds one answer; append the chosen"
            " message to messages"
        )
    request, reply = row, row
    if isinstance(row.get("request"), dict) and isinstance(row.get("response"), dict):
        request = cast("Fields", row["request"])
        reply = cast("Fields", row["response"])
    draft = Draft(
        part=find_text(reply, "id") or find_text(row, "id"),
        title=find_text(row, "title"),
    )
    if "messages" in request:
        messages = require_list(request["messages"], "messages")
        draft.read_each(messages, "message", add_message)
    if "choices" in reply:
        # Choices after the first are only counted.
        choices = require_list(reply["choices"], "choices")
        if not choices:
            raise UnknownShapeError("choices is empty")
        first = require_object(choices[0], "a choice")
        add_message(require_object(first.get("message"), "message"), draft)
        draft.leave_out("alternative answer", len(choices) - 1)
    mark_reply(reply, draft)
    draft.leave_out_fields({*REPLY_FIELDS, "messages", "choices", "created"}, row, request, reply)
    return draft


def add_message(fields: Fields, draft: Draft) -> None:
    """Append a message; a message with an unknown role is only counted, by the role.

    Raises:
        UnknownShapeError: the message has no role, or content of another shape.
    """
    written = require_text(fields, "role")
    role = ROLES.get(written)
    if role is None:
        draft.leave_out(f"role {written}")
        return
    # The text of a message: its content, a refusal and the transcript of audio.
    texts = [draft.read_content(fields.get("content")), find_text(fields, "refusal")]
    if audio := get_object(fields, "audio"):
        draft.leave_out("audio")
        texts.append(find_text(audio, "transcript") or "[audio]")
    text = "\n".join(filter(None, texts))
    draft.leave_out("citation", count_items(fields, "annotations"))
    draft.leave_out("reasoning", int(any(fields.get(name) for name in _CHAT_REASONING)))
    draft.leave_out_fields(_CHAT_MESSAGE_FIELDS, fields)
    times = (parse_moment(fields.get(name)) for name in _CHAT_TIMES)
    draft.at = next((time for time in times if time is not None), None)
    if role == "tool":
        name = fields.get("name")
        call_id = name if written == "function" else fields.get("tool_call_id")
        draft.add_result(text, call_id=call_id, name=name)
        return
    draft.leave_out("name", int(find_text(fields, "name") is not None))
    draft.add(
        role,
        text,
        calls=_read_chat_calls(fields, draft),
        model=find_text(fields, "model") if role == "assistant" else None,
        tokens=read_token_report(fields.get("usage")).as_tokens() if role == "assistant" else None,
    )


def mark_reply(body: Fields, draft: Draft, *rows: Fields) -> None:
    """Give the last answer model and usage of a reply, and its time, which may be in ``rows``."""
    names = ("created", "created_at")
    times = (parse_moment(fields.get(name)) for fields in (body, *rows) for name in names)
    draft.mark_last_answer(
        model=find_text(body, "model"),
        tokens=read_token_report(body.get("usage")).as_tokens(),
        at=next((at for at in times if at is not None), None),
    )


def _read_chat_calls(fields: Fields, draft: Draft) -> list[ToolCall]:
    calls: list[ToolCall] = []
    for item in require_list(fields.get("tool_calls") or [], "tool_calls"):
        call = require_object(item, "a call")
        is_custom = call.get("type") == "custom"
        part, arguments = ("custom", "input") if is_custom else ("function", "arguments")
        called = require_object(call.get(part, None if is_custom else call), part)
        made = draft.call(require_text(called, "name"), called.get(arguments), call.get("id"))
        calls.append(made)
    if fields.get("function_call") is not None:
        function = require_object(fields["function_call"], "function_call")
        name = require_text(function, "name")
        calls.append(draft.call(name, function.get("arguments"), name))
    return calls


_RESPONSE_CALLS: Mapping[str, str] = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
    "computer_call": "action",
    "mcp_call": "arguments",
}
"""The field with the arguments of a call, by the type of the item."""


def is_response(row: Fields) -> bool:
    """Return whether a row is a request of this API, a response, or a request with its response."""
    return (
        row.get("object") == "response"
        or _is_response_request(row)
        or any(map(_has_output, (row, get_object(row, "response"))))
    )


def read_response(row: Fields) -> Draft:
    """Return the conversation of a row.

    Raises:
        UnknownShapeError: an item in it is damaged.
    """
    response = get_object(row, "response") or row
    request = get_object(row, "request") or row
    draft = _begin_draft(row, response)
    system = request.get("instructions", response.get("instructions"))
    if instructions := draft.read_content(system):
        draft.add("system", instructions)
    value = request.get("input", response.get("input"))
    if isinstance(value, str):
        draft.add("user", value)
    elif value is not None:
        draft.read_each(require_list(value, "input"), "item", _add_response_item)
    items = require_list(response.get("output") or [], "output")
    draft.read_each(items, "item", _add_response_item)
    if not items and (text := find_text(response, "output_text")):
        draft.add("assistant", text)
    mark_reply(response, draft)
    draft.leave_out_fields(
        {
            *REPLY_FIELDS,
            *("completed_at", "status", "input", "instructions", "output", "output_text"),
        },
        row,
        request,
        response,
    )
    return draft


def _begin_draft(row: Fields, reply: Fields) -> Draft:
    """Return a draft with the id and the title that a row or its reply has."""
    return Draft(
        identity=as_unique_name(reply.get("id", row.get("id"))),
        part=find_text(reply, "id") or find_text(row, "id"),
        title=find_text(row, "title"),
    )


def _is_response_request(row: Fields) -> bool:
    items = list_objects(row.get("input"))
    is_input = bool(items) and all("role" in item or "type" in item for item in items)
    is_input = is_input or all(isinstance(row.get(name), str) for name in ("input", "instructions"))
    return is_input and isinstance(row.get("model"), str) and "output" not in row


def _has_output(row: Fields) -> bool:
    items = list_objects(row.get("output"))
    return bool(items) and all("type" in item for item in items)


def _add_response_item(item: Fields, draft: Draft) -> None:
    kind = get_text(item, "type") or "message"
    if kind == "message":
        written = require_text(item, "role")
        role = ROLES.get(written, "tool")
        if role == "tool":
            draft.leave_out(f"role {written}")
            return
        for part in list_objects(item.get("content")):
            draft.leave_out("citation", count_items(part, "annotations"))
        draft.add(role, draft.read_content(item.get("content")))
    elif kind in _RESPONSE_CALLS:
        call_id = item.get("call_id") or item.get("id")
        tool = find_text(item, "name") or kind.removesuffix("_call")
        call = draft.call(tool, item.get(_RESPONSE_CALLS[kind]), call_id)
        draft.add("assistant", "", calls=[call])
        output = item.get("output") or item.get("error")
        if kind == "mcp_call" and output:
            draft.add_result(_read_result_text(output, draft), call_id=call_id)
    elif kind.endswith("_output"):
        draft.add_result(_read_result_text(item.get("output"), draft), call_id=item.get("call_id"))
    else:
        draft.leave_out(kind.replace("_", " "))
        if kind.endswith("_call"):
            query = find_text(get_object(item, "action"), "query")
            name, words = kind.removesuffix("_call"), kind.replace("_", " ")
            draft.add("assistant", format_call_mark(name, query) if query else f"[{words}]")


def _read_result_text(output: object, draft: Draft) -> str:
    """Return the text of a tool's output, which is a text, parts, or results of a shell."""
    text = find_text(as_fields(output), "output", "text", "message")
    names = ("stdout", "stderr")
    streams = [find_text(part, name) for part in list_objects(output) for name in names]
    plain = text or "\n".join(stream for stream in streams if stream)
    return plain or draft.read_content(output)


_ANTHROPIC_PARTS = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "document", "server_tool_use"}
)
"""Types of parts that only this API has."""


def is_anthropic(row: Fields) -> bool:
    """Return whether a row is a request of this API, a reply, or a request with its reply."""
    return (
        _is_anthropic_request(row)
        or _is_anthropic_reply(row)
        or _is_anthropic_reply(get_object(row, "response"))
    )


def read_anthropic(row: Fields) -> Draft:
    """Return the conversation of a row.

    Raises:
        UnknownShapeError: a message in it is damaged.
    """
    request = row
    reply: Fields = row if _is_anthropic_reply(row) else {}
    if _is_anthropic_reply(get_object(row, "response")):
        request, reply = get_object(row, "request"), get_object(row, "response")
    draft = _begin_draft(row, reply)
    if system := draft.read_content(request.get("system")):
        draft.add("system", system)
    if "messages" in request:
        messages = require_list(request["messages"], "messages")
        draft.read_each(messages, "message", _add_anthropic_message)
    if reply:
        _add_anthropic_message(reply, draft)
    mark_reply(reply or request, draft, row)
    draft.leave_out_fields(
        {
            *REPLY_FIELDS,
            *("type", "role", "content", "created", "stop_reason", "stop_sequence"),
            *("system", "messages", "max_tokens"),
        },
        row,
        request,
        reply,
    )
    return draft


def _is_anthropic_request(row: Fields) -> bool:
    messages = list_objects(row.get("messages"))
    if not isinstance(row.get("messages"), list) or any(
        "role" not in message or message.get("tool_calls") for message in messages
    ):
        return False
    return isinstance(row.get("system"), str | list) or any(
        get_text(part, "type") in _ANTHROPIC_PARTS
        or (part.get("type") == "image" and isinstance(part.get("source"), dict))
        for message in messages
        for part in list_objects(message.get("content"))
    )


def _is_anthropic_reply(row: Fields) -> bool:
    return row.get("type") == "message" and "role" in row and isinstance(row.get("content"), list)


def _add_anthropic_message(fields: Fields, draft: Draft) -> None:
    """Append a message, and before it a message for each result of a tool in it."""
    written = require_text(fields, "role")
    role = ROLES.get(written, "tool")
    if role == "tool":
        draft.leave_out(f"role {written}")
        return
    content = fields.get("content")
    parts = list_objects(content)
    for part in parts:
        draft.leave_out("citation", count_items(part, "citations"))
    results = [part for part in parts if part.get("type") == "tool_result"]
    for part in results:
        text = draft.read_content(part.get("content"))
        draft.add_result(text, call_id=part.get("tool_use_id"))
    calls = [draft.read_call(part, "input") for part in parts if part.get("type") == "tool_use"]
    text = draft.read_content(content, read=("tool_use", "tool_result"))
    if text or calls or not parts:
        draft.add(role, text, calls=calls)
    elif not results:
        draft.leave_out("empty message")


NAME = "messages"


def recognises(source: SourceFile) -> bool:
    """Return whether all first records are messages."""
    return bool(source.head) and all(
        get_text(record, "role") in ROLES
        and ("content" in record or "tool_calls" in record)
        and "type" not in record
        for record in source.head
    )


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield the session of the file, and report each message that could not be read."""
    if is_anthropic({"messages": source.head}):
        messages = [record for _, record in source.read_records()]
        with source.catch_problems(0):
            yield read_anthropic({"messages": messages})
        return
    draft = Draft()
    for number, record in source.read_records():
        with source.catch_problems(number):
            add_message(record, draft)
    yield draft
