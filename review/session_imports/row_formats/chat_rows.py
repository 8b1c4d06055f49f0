"""Rows of chats in the format of OpenAI's tools: ``{"messages": [...]}``, a session for each row.

Older rows have one call in ``function_call``, without an id. Then call and result are joined by the
function's name.

A row may have a request and its reply: ``choices`` beside ``messages``, or ``request`` and
``response``.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

from records.foreign.fields import (
    UnknownShapeError,
    count_items,
    find_text,
    get_object,
    list_objects,
    parse_moment,
    require_list,
    require_object,
    require_text,
)
from records.foreign.usage import read_token_report
from records.sessions.session import ToolCall
from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import locate_errors

ROLES: Final[Mapping[str, str]] = {
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
REPLY_FIELDS: Final = (
    *("id", "object", "model", "usage", "created_at", "title"),
    *("request", "response"),
)
"""Fields that rows of all providers' APIs have, beside those of requests and replies."""

_KNOWN_FIELDS: Final = frozenset({*REPLY_FIELDS, "messages", "choices", "created"})
_TIMES: Final = ("created_at", "created", "timestamp")
_REASONING: Final = ("reasoning", "reasoning_content", "reasoning_details", "thinking")
_FIELDS_OF_MESSAGES: Final = frozenset(
    {
        *("role", "name", "content", "refusal", "audio", "annotations"),
        *("tool_calls", "tool_call_id", "function_call"),
        *("id", "model", "usage", *_TIMES, *_REASONING),
    }
)


def is_chat(row: Mapping[str, Any]) -> bool:
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


def read_chat(row: Mapping[str, Any]) -> Draft:
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
        request = cast("Mapping[str, Any]", row["request"])
        reply = cast("Mapping[str, Any]", row["response"])
    draft = Draft(
        part=find_text(reply, "id") or find_text(row, "id"),
        title=find_text(row, "title"),
    )
    if "messages" in request:
        add_messages(request["messages"], draft)
    if "choices" in reply:
        add_reply(reply, draft)
    else:
        mark_reply(reply, draft)
    draft.leave_out_fields(_KNOWN_FIELDS, row, request, reply)
    return draft


def add_messages(listed: object, draft: Draft) -> None:
    """Append all messages of a list.

    Raises:
        UnknownShapeError: the value is not a list, or a message in it is damaged.
    """
    for number, message in enumerate(require_list(listed, "messages"), 1):
        with locate_errors(f"message {number}"):
            add_message(require_object(message, "it"), draft)


def add_message(fields: Mapping[str, Any], draft: Draft) -> None:
    """Append a message; a message with an unknown role is only counted, by the role.

    Raises:
        UnknownShapeError: the message has no role, or content of another shape.
    """
    written = require_text(fields, "role")
    role = ROLES.get(written)
    if role is None:
        draft.leave_out(f"role {written}")
        return
    text = _read_text(fields, draft)
    draft.leave_out_fields(_FIELDS_OF_MESSAGES, fields)
    times = (parse_moment(fields.get(name)) for name in _TIMES)
    at = next((time for time in times if time is not None), None)
    if role == "tool":
        name = fields.get("name")
        call_id = name if written == "function" else fields.get("tool_call_id")
        draft.add_result(text, call_id=call_id, name=name, at=at)
        return
    draft.leave_out("name", int(find_text(fields, "name") is not None))
    draft.add(
        role,
        text,
        calls=_read_calls(fields, draft),
        at=at,
        model=find_text(fields, "model") if role == "assistant" else None,
        tokens=read_token_report(fields.get("usage")).as_tokens() if role == "assistant" else None,
    )


def add_reply(body: Mapping[str, Any], draft: Draft) -> None:
    """Append the first choice of a reply, with model, usage and time; count further choices.

    Raises:
        UnknownShapeError: the reply has no choice, or a damaged choice.
    """
    choices = require_list(body.get("choices"), "choices")
    if not choices:
        raise UnknownShapeError("choices is empty")
    add_message(
        require_object(require_object(choices[0], "a choice").get("message"), "message"), draft
    )
    draft.leave_out("alternative answer", len(choices) - 1)
    mark_reply(body, draft)


def mark_reply(body: Mapping[str, Any], draft: Draft) -> None:
    """Give the last answer the model, usage and time that a row has once."""
    draft.mark_last_answer(
        model=find_text(body, "model"),
        tokens=read_token_report(body.get("usage")).as_tokens(),
        at=parse_moment(body.get("created", body.get("created_at"))),
    )


def _read_text(fields: Mapping[str, Any], draft: Draft) -> str:
    """Return the text of a message: its content, a refusal and the transcript of audio."""
    content = draft.read_content(fields.get("content"))
    texts = [content, find_text(fields, "refusal") or ""]
    if audio := get_object(fields, "audio"):
        draft.leave_out("audio")
        texts.append(find_text(audio, "transcript") or "[audio]")
    draft.leave_out("citation", count_items(fields, "annotations"))
    draft.leave_out("reasoning", int(any(fields.get(name) for name in _REASONING)))
    return "\n".join(text for text in texts if text)


def _read_calls(fields: Mapping[str, Any], draft: Draft) -> list[ToolCall]:
    listed = require_list(fields.get("tool_calls") or [], "tool_calls")
    calls = [_read_call(require_object(call, "a call"), draft) for call in listed]
    if fields.get("function_call") is not None:
        function = require_object(fields["function_call"], "function_call")
        name = require_text(function, "name")
        calls.append(draft.call(name, function.get("arguments"), name))
    return calls


def _read_call(fields: Mapping[str, Any], draft: Draft) -> ToolCall:
    if fields.get("type") == "custom":
        custom = require_object(fields.get("custom"), "custom")
        return draft.call(require_text(custom, "name"), custom.get("input"), fields.get("id"))
    function = require_object(fields.get("function", fields), "function")
    return draft.call(require_text(function, "name"), function.get("arguments"), fields.get("id"))
