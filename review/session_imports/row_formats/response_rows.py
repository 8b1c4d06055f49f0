"""Rows of OpenAI's Responses API: responses, if possible with the input of their requests."""

from collections.abc import Mapping
from typing import Any, Final

from records.foreign.fields import (
    as_fields,
    count_items,
    find_text,
    get_object,
    get_text,
    list_objects,
    require_list,
    require_object,
    require_text,
)
from review.session_imports.common.drafts import Draft, as_unique_name, format_call_mark
from review.session_imports.common.source_file import locate_errors
from review.session_imports.row_formats.chat_rows import REPLY_FIELDS, ROLES, mark_reply

_KNOWN_FIELDS: Final = frozenset(
    {
        *REPLY_FIELDS,
        *("completed_at", "status", "input", "instructions", "output", "output_text"),
    }
)
_CALLS: Final[Mapping[str, str]] = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
    "computer_call": "action",
    "mcp_call": "arguments",
}
"""The field with the arguments of a call, by the type of the item."""
_RESULT: Final = "_output"
_REASONING: Final = "reasoning"


def is_response(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a request of this API, a response, or a request with its response."""
    return (
        row.get("object") == "response"
        or _is_request(row)
        or _has_items(row, "output")
        or (_has_items(get_object(row, "response"), "output"))
    )


def read_response(row: Mapping[str, Any]) -> Draft:
    """Return the conversation of a row.

    Raises:
        UnknownShapeError: an item in it is damaged.
    """
    response = get_object(row, "response") or row
    request = get_object(row, "request") or row
    draft = Draft(
        identity=as_unique_name(response.get("id", row.get("id"))),
        part=find_text(response, "id") or find_text(row, "id"),
        title=find_text(row, "title"),
    )
    system = request.get("instructions", response.get("instructions"))
    if instructions := draft.read_content(system):
        draft.add("system", instructions)
    _add_input(request.get("input", response.get("input")), draft)
    items = require_list(response.get("output") or [], "output")
    _add_items(items, draft)
    if not items and (text := find_text(response, "output_text")):
        draft.add("assistant", text)
    mark_reply(response, draft)
    draft.leave_out_fields(_KNOWN_FIELDS, row, request, response)
    return draft


def _is_request(row: Mapping[str, Any]) -> bool:
    items = list_objects(row.get("input"))
    is_input = bool(items) and all("role" in item or "type" in item for item in items)
    is_input = is_input or all(isinstance(row.get(name), str) for name in ("input", "instructions"))
    return is_input and isinstance(row.get("model"), str) and "output" not in row


def _has_items(row: Mapping[str, Any], name: str) -> bool:
    items = list_objects(row.get(name))
    return bool(items) and all("type" in item for item in items)


def _add_input(value: object, draft: Draft) -> None:
    if isinstance(value, str):
        draft.add("user", value)
    elif value is not None:
        _add_items(require_list(value, "input"), draft)


def _add_items(items: list[object], draft: Draft) -> None:
    for number, item in enumerate(items, 1):
        with locate_errors(f"item {number}"):
            _add_item(require_object(item, "it"), draft)


def _add_item(item: Mapping[str, Any], draft: Draft) -> None:
    kind = get_text(item, "type") or "message"
    if kind == "message":
        _add_message(item, draft)
    elif kind in _CALLS:
        _add_call(item, _CALLS[kind], draft)
    elif kind.endswith(_RESULT):
        draft.add_result(_read_result_text(item.get("output"), draft), call_id=item.get("call_id"))
    else:
        _leave_out_item(item, kind, draft)


def _add_message(item: Mapping[str, Any], draft: Draft) -> None:
    written = require_text(item, "role")
    role = ROLES.get(written)
    if role is None or role == "tool":
        draft.leave_out(f"role {written}")
        return
    for part in list_objects(item.get("content")):
        draft.leave_out("citation", count_items(part, "annotations"))
    draft.add(role, draft.read_content(item.get("content")))


def _add_call(item: Mapping[str, Any], field: str, draft: Draft) -> None:
    kind = str(item["type"])
    call_id = item.get("call_id") or item.get("id")
    tool = find_text(item, "name") or kind.removesuffix("_call")
    arguments: object = item.get(field)
    draft.add("assistant", "", calls=[draft.call(tool, arguments, call_id)])
    if kind == "mcp_call" and (item.get("output") or item.get("error")):
        draft.add_result(
            _read_result_text(item.get("output") or item.get("error"), draft), call_id=call_id
        )


def _leave_out_item(item: Mapping[str, Any], kind: str, draft: Draft) -> None:
    """Count an item that is not kept; for a call of a server's tool, append its mark."""
    draft.leave_out(_REASONING if kind == _REASONING else kind.replace("_", " "))
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
