"""Rows of ShareGPT and of datasets on Hugging Face, by the usual names of their columns.

A conversation is a list of messages, or a request and an answer in two columns (Alpaca, or
``prompt`` and ``completion``). Rows of preferences and rows of text without roles are refused.
"""

import json
from collections.abc import Mapping, Sequence

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_fields,
    as_items,
    count_items,
    find_text,
    get_object,
    list_objects,
    parse_json,
    require_list,
    require_object,
    require_text,
)
from records.sessions.session import ToolCall
from review.session_imports.common.drafts import Draft, as_unique_name
from review.session_imports.row_formats.chat_rows import (
    COMPARED,
    ROLES,
    add_message,
    find_first_pair,
    refuse_preferences,
)

_CALLS = frozenset({"function_call", "tool_call"})
"""Speakers of ShareGPT whose turns are calls of tools."""
_SPEAKERS_ROLES: Mapping[str, str] = {
    **dict.fromkeys(("chatgpt", "bing", "bard"), "assistant"),
    **dict.fromkeys(("observation", "function_response", "tool_response"), "tool"),
}
"""The roles of speakers that only ShareGPT has."""
_MEDIA: Mapping[str, str] = {"images": "image", "videos": "video", "audios": "audio"}


def is_sharegpt(row: Fields) -> bool:
    """Return whether a row has turns of this shape."""
    found = _find_message_list(row)
    return found is not None and any("from" in turn for turn in list_objects(found[1]))


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


def zip_columns(columns: Fields) -> list[object]:
    """Return the objects of a table whose columns are lists of equal length; else no objects."""
    lists = {name: as_items(column) for name, column in columns.items() if as_items(column)}
    lengths = {len(items) for items in lists.values()}
    if len(lengths) != 1:
        return []
    return [{name: items[index] for name, items in lists.items()} for index in range(*lengths)]


_LISTS = (
    *("messages", "conversations", "conversation", "dialogue", "dialog", "chat", "turns"),
    "items",
)
_SPEAKERS = ("role", "speaker", "author", "from")
_TEXTS = ("content", "text", "value", "message", "utterance")
_ANSWERS = {
    "prompt": ("completion", "response", "answer", "output"),
    "question": ("answer", "response"),
    "query": ("response", "answer"),
    "instruction": ("output", "response", "completion"),
    "input": ("output",),
}
"""Columns of answers by the column of the request; the first such pair in a row is used."""
_EXTRA = ("input", "context")
"""Columns of a further text of an instruction."""
_SAMPLES = (("input", "ideal"), ("input", "target"))
"""Columns of samples of openai/evals and Inspect: a request with its right answer."""
_SYSTEM = ("system", "system_prompt", "system_message")
_NAMES = ("id", "conversation_id", "conversation_hash", "prompt_id", "uuid")
_BARE_FIELDS = frozenset({"text", "id", "meta", "metadata", "source", "url"})
_NO_TEXT = frozenset({*_MEDIA, "image"})
_KNOWN_FIELDS = frozenset({*_NAMES, *_SYSTEM, "model", "title", "history"})


def is_dataset_row(row: Fields) -> bool:
    """Return whether the columns of a row have known names."""
    return (
        find_first_pair(COMPARED, row) is not None
        or find_first_pair(_SAMPLES, row) is not None
        or _find_message_list(row) is not None
        or _find_pair(row) is not None
        or (isinstance(row.get("text"), str) and row.keys() <= _BARE_FIELDS)
    )


def read_dataset_row(row: Fields) -> Draft:
    """Return the conversation of a row.

    Raises:
        UnknownShapeError: the row compares answers, has text without roles, or is damaged.
    """
    if sample := find_first_pair(_SAMPLES, row):
        raise UnknownShapeError(f"is a sample of an evaluation ({', '.join(sample)}): no answer")
    refuse_preferences(row)
    draft = Draft(
        identity=next((name for key in _NAMES if (name := as_unique_name(row.get(key)))), None),
        part=find_text(row, *_NAMES),
        title=find_text(row, "title"),
    )
    if system := find_text(row, *_SYSTEM):
        draft.add("system", system)
    columns = _add_conversation(row, draft)
    draft.mark_last_answer(model=find_text(row, "model"))
    for name in _NO_TEXT:
        draft.leave_out(name.removesuffix("s"), count_items(row, name))
    draft.leave_out_fields({*_KNOWN_FIELDS, *_NO_TEXT, *columns}, row)
    return draft


def _add_conversation(row: Fields, draft: Draft) -> Sequence[str]:
    """Append the messages of a row, and return the names of their columns."""
    if column := _find_message_list(row):
        name, listed = column
        draft.read_each(listed, "message", _add_turn)
        return [name]
    pair = _find_pair(row)
    if pair is None:
        reason = "has a text without roles: request and answer are not marked"
        is_bare = "text" in row
        raise UnknownShapeError(
            reason if is_bare else "has no columns of a conversation that are known"
        )
    for earlier in require_list(row.get("history") or [], "history"):  # of an Alpaca row
        sides = require_list(earlier, "a pair of history")
        for role, side in zip(("user", "assistant"), sides, strict=False):
            _add_side(side, role, draft)
        draft.leave_out("part of history", len(sides) - 2)
    request, answer = pair
    extra = _EXTRA if request == "instruction" else ()
    _add_side(row[request], "user", draft, extra=find_text(row, *extra))
    _add_side(row[answer], "assistant", draft)
    return [*pair, *extra]


def _add_side(value: object, role: str, draft: Draft, extra: str | None = None) -> None:
    """Append a request or an answer, which is a text or a list of messages."""
    if list_objects(value):
        for message in as_items(value):
            add_message(require_object(message, "a message"), draft)
        return
    text = draft.read_content(value)
    draft.add(ROLES[role], f"{text}\n\n{extra}" if extra else text, at=None)


def _add_turn(turn: Fields, draft: Draft) -> None:
    speaker = next((name for name in _SPEAKERS if name in turn), None)
    if speaker is None:
        raise UnknownShapeError("has no role")
    text = next((name for name in _TEXTS if name in turn), "content")
    message = {name: value for name, value in turn.items() if name not in {speaker, text}}
    role = require_text(turn, speaker).lower()
    content: object = turn.get(text)
    if role in _CALLS:
        draft.leave_out_fields((), message)
        written = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        draft.add("assistant", "", calls=_read_calls(written, draft))
        return
    if isinstance(content, str):
        for kind in _MEDIA.values():
            content = content.replace(f"<{kind}>", f"[{kind}]")
    add_message(message | {"role": _SPEAKERS_ROLES.get(role, role), "content": content}, draft)


def _find_pair(row: Fields) -> tuple[str, str] | None:
    """Return the columns of request and answer in a row; None if it has none."""
    pairs = [(request, answer) for request, answers in _ANSWERS.items() for answer in answers]
    texts = {name: row[name] for name in row if isinstance(row[name], str | list)}
    return find_first_pair(pairs, texts)


def _find_message_list(row: Fields) -> tuple[str, list[object]] | None:
    for name in _LISTS:
        turns = as_items(row.get(name)) or zip_columns(get_object(row, name))
        if any(
            turn.keys() & set(_SPEAKERS) and turn.keys() & {*_TEXTS, "tool_calls"}
            for turn in list_objects(turns)
        ):
            return name, turns
    return None
