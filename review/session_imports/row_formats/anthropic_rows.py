"""Rows of Anthropic's Messages API: requests, replies, and requests with their replies.

Results of tools are in messages of the user, and the system prompt is beside the messages.
"""

from typing import Final

from records.foreign.fields import (
    Fields,
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
from review.session_imports.common.drafts import Draft, as_unique_name
from review.session_imports.common.source_file import locate_errors
from review.session_imports.row_formats.chat_rows import REPLY_FIELDS, ROLES

_OWN_PARTS: Final = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "document", "server_tool_use"}
)
"""Types of parts that only this API has."""
_KNOWN_FIELDS: Final = frozenset(
    {
        *REPLY_FIELDS,
        *("type", "role", "content", "created", "stop_reason", "stop_sequence"),
        *("system", "messages", "max_tokens"),
    }
)
_TIMES: Final = ("created", "created_at")


def is_anthropic(row: Fields) -> bool:
    """Return whether a row is a request of this API, a reply, or a request with its reply."""
    return _is_request(row) or _is_reply(row) or _split_row(row) is not None


def read_anthropic(row: Fields) -> Draft:
    """Return the conversation of a row.

    Raises:
        UnknownShapeError: a message in it is damaged.
    """
    request, reply = _split_row(row) or (row, row if _is_reply(row) else {})
    draft = Draft(
        identity=as_unique_name(reply.get("id", row.get("id"))),
        part=find_text(reply, "id") or find_text(row, "id"),
        title=find_text(row, "title"),
    )
    if "system" in request:
        _add_system(request["system"], draft)
    if "messages" in request:
        for number, message in enumerate(require_list(request["messages"], "messages"), 1):
            with locate_errors(f"message {number}"):
                _add_message(require_object(message, "it"), draft)
    if reply:
        _add_message(reply, draft)
    _mark_reply(reply or request, row, draft)
    draft.leave_out_fields(_KNOWN_FIELDS, row, request, reply)
    return draft


def _is_request(row: Fields) -> bool:
    messages = list_objects(row.get("messages"))
    if not isinstance(row.get("messages"), list) or any(
        "role" not in message or message.get("tool_calls") for message in messages
    ):
        return False
    return isinstance(row.get("system"), str | list) or any(
        get_text(part, "type") in _OWN_PARTS
        or (part.get("type") == "image" and isinstance(part.get("source"), dict))
        for message in messages
        for part in list_objects(message.get("content"))
    )


def _is_reply(row: Fields) -> bool:
    return row.get("type") == "message" and "role" in row and isinstance(row.get("content"), list)


def _split_row(row: Fields) -> tuple[Fields, Fields] | None:
    """Return request and reply of a row that has them in two fields; None for other rows."""
    reply = get_object(row, "response")
    return (get_object(row, "request"), reply) if _is_reply(reply) else None


def _add_system(system: object, draft: Draft) -> None:
    text = draft.read_content(system)
    if text:
        draft.add("system", text)


def _add_message(fields: Fields, draft: Draft) -> None:
    """Append a message, and before it a message for each result of a tool in it."""
    written = require_text(fields, "role")
    role = ROLES.get(written)
    if role is None or role == "tool":
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
    calls = [_read_call(part, draft) for part in parts if part.get("type") == "tool_use"]
    text = draft.read_content(content, read=("tool_use", "tool_result"))
    if text or calls or not parts:
        draft.add(role, text, calls=calls)
    elif not results:
        draft.leave_out("empty message")


def _read_call(part: Fields, draft: Draft) -> ToolCall:
    return draft.call(require_text(part, "name"), part.get("input"), part.get("id"))


def _mark_reply(reply: Fields, row: Fields, draft: Draft) -> None:
    times = [parse_moment(fields.get(name)) for fields in (reply, row) for name in _TIMES]
    draft.mark_last_answer(
        model=find_text(reply, "model"),
        tokens=read_token_report(reply.get("usage")).as_tokens(),
        at=next((at for at in times if at is not None), None),
    )
