"""Rows of chats in the format of OpenAI's tools: ``{"messages": [...]}``, a session for each row.

Older rows have one call in ``function_call``, without an id. Then call and result are joined by the
function's name.

A row may have a request and its reply: ``choices`` beside ``messages``, or ``request`` and
``response``.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

from records.foreign.fields import UnknownShapeError, find_text, list_objects
from review.session_imports.common.drafts import Draft
from review.session_imports.row_formats.openai_messages import (
    REPLY_FIELDS,
    add_messages,
    add_reply,
    mark_reply,
)

_KNOWN_FIELDS: Final = frozenset({*REPLY_FIELDS, "messages", "choices", "created"})


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
