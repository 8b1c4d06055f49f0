"""Rows of ShareGPT: ``{"conversations": [{"from": ..., "value": ...}]}``, a session for each row.

LLaMA-Factory and others add calls (``function_call``), their results (``observation``), a
``system`` text and lists of pictures.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from records.foreign.fields import (
    UnknownShapeError,
    as_fields,
    as_items,
    count_items,
    find_text,
    get_object,
    list_objects,
    parse_json,
    require_object,
    require_text,
)
from records.sessions.session import ToolCall
from review.session_imports.common.drafts import Draft, as_unique_name
from review.session_imports.common.source_file import locate_errors

_LISTS: Final = ("conversations", "conversation", "items", "messages")
_ROLES: Final[Mapping[str, str]] = {
    "system": "system",
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "model": "assistant",
    "bing": "assistant",
    "bard": "assistant",
}
_CALLS: Final = frozenset({"function_call", "tool_call"})
_RESULTS: Final = frozenset({"observation", "tool", "function_response", "tool_response"})
_MEDIA: Final[Mapping[str, str]] = {"images": "image", "videos": "video", "audios": "audio"}
_KNOWN_FIELDS: Final = frozenset({*_LISTS, *_MEDIA, "id", "system", "title", "model"})
_KNOWN_OF_TURN: Final = frozenset({"from", "value"})


def is_sharegpt(row: Mapping[str, Any]) -> bool:
    """Return whether a row has turns of this shape."""
    return _find_turns(row) is not None


def read_sharegpt(row: Mapping[str, Any]) -> Draft:
    """Return the conversation of a row.

    Raises:
        UnknownShapeError: a turn is damaged, or the row compares two answers.
    """
    if row.get("chosen") is not None or row.get("rejected") is not None:
        raise UnknownShapeError(
            "is a preference row (chosen, rejected): a session holds one answer; append the chosen"
            " turn to the conversation"
        )
    draft = Draft(
        identity=as_unique_name(row.get("id")),
        part=find_text(row, "id"),
        title=find_text(row, "title"),
    )
    if system := find_text(row, "system"):
        draft.add("system", system)
    for number, turn in enumerate(_find_turns(row) or [], 1):
        with locate_errors(f"turn {number}"):
            _add_turn(require_object(turn, "it"), draft)
    for name, kind in _MEDIA.items():
        draft.leave_out(kind, count_items(row, name))
    draft.mark_last_answer(model=find_text(row, "model"))
    draft.leave_out_fields(_KNOWN_FIELDS, row)
    return draft


def _read_calls(text: str, draft: Draft) -> list[ToolCall]:
    """Return the calls in a text of JSON, one or a list; other text is the arguments of a call."""
    try:
        value = parse_json(text, "value")
    except UnknownShapeError:
        return [draft.call("function", text)]
    listed = as_items(value) or [value]
    calls: list[ToolCall] = []
    for call in listed:
        fields = as_fields(call)
        name = fields.get("name")
        if isinstance(name, str) and name:
            arguments: object = fields.get("arguments", fields.get("parameters"))
            calls.append(draft.call(name, arguments, fields.get("id")))
        else:
            calls.append(draft.call("function", call))
    return calls


def _find_turns(row: Mapping[str, Any]) -> list[object] | None:
    """Return the turns of a row; None if it has no turns of ShareGPT."""
    for name in _LISTS:
        turns = as_items(row.get(name)) or zip_columns(get_object(row, name))
        if any("from" in turn for turn in list_objects(turns)):
            return turns
    return None


def zip_columns(columns: Mapping[str, Any]) -> list[object]:
    """Return the objects of a table whose columns are lists of equal length; else no objects."""
    lists = {name: as_items(column) for name, column in columns.items() if as_items(column)}
    lengths = {len(items) for items in lists.values()}
    if len(lengths) != 1:
        return []
    return [{name: items[index] for name, items in lists.items()} for index in range(*lengths)]


def _add_turn(turn: Mapping[str, Any], draft: Draft) -> None:
    written = require_text(turn, "from").lower()
    value: object = turn.get("value")
    draft.leave_out_fields(_KNOWN_OF_TURN, turn)
    if written in _CALLS:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        draft.add("assistant", "", calls=_read_calls(text, draft))
        return
    text = _mark_media(require_text(turn, "value"))
    if written in _RESULTS:
        draft.add_result(text)
    elif written in _ROLES:
        draft.add(_ROLES[written], text)
    else:
        draft.leave_out(f"role {written}")


def _mark_media(text: str) -> str:
    """Return a text with the usual mark for each picture, film or sound."""
    for kind in _MEDIA.values():
        text = text.replace(f"<{kind}>", f"[{kind}]")
    return text
