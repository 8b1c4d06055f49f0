"""Rows of ShareGPT and of datasets on Hugging Face, by the usual names of their columns.

A conversation is a list of messages, or a request and an answer in two columns (Alpaca, or
``prompt`` and ``completion``). Rows of preferences and rows of text without roles are refused.
"""

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
from review.session_imports.common.drafts import Draft, as_unique_name, format_value
from review.session_imports.row_formats.chat_rows import ROLES, add_message

_SHAREGPT_LISTS = ("conversations", "conversation", "items", "messages")
_ROLES: Mapping[str, str] = {
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
_MEDIA: Mapping[str, str] = {"images": "image", "videos": "video", "audios": "audio"}


def is_sharegpt(row: Fields) -> bool:
    """Return whether a row has turns of this shape."""
    return _find_turns(row) is not None


def read_sharegpt(row: Fields) -> Draft:
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
    draft.read_each(_find_turns(row) or [], "turn", _add_sharegpt_turn)
    for name, kind in _MEDIA.items():
        draft.leave_out(kind, count_items(row, name))
    draft.mark_last_answer(model=find_text(row, "model"))
    draft.leave_out_fields({*_SHAREGPT_LISTS, *_MEDIA, "id", "system", "title", "model"}, row)
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


def _find_turns(row: Fields) -> list[object] | None:
    """Return the turns of a row; None if it has no turns of ShareGPT."""
    for name in _SHAREGPT_LISTS:
        turns = as_items(row.get(name)) or zip_columns(get_object(row, name))
        if any("from" in turn for turn in list_objects(turns)):
            return turns
    return None


def zip_columns(columns: Fields) -> list[object]:
    """Return the objects of a table whose columns are lists of equal length; else no objects."""
    lists = {name: as_items(column) for name, column in columns.items() if as_items(column)}
    lengths = {len(items) for items in lists.values()}
    if len(lengths) != 1:
        return []
    return [{name: items[index] for name, items in lists.items()} for index in range(*lengths)]


def _add_sharegpt_turn(turn: Fields, draft: Draft) -> None:
    written = require_text(turn, "from").lower()
    value: object = turn.get("value")
    draft.leave_out_fields({"from", "value"}, turn)
    if written in {"function_call", "tool_call"}:
        draft.add("assistant", "", calls=_read_calls(format_value(value), draft))
        return
    text = require_text(turn, "value")
    for kind in _MEDIA.values():
        text = text.replace(f"<{kind}>", f"[{kind}]")
    if written in {"observation", "tool", "function_response", "tool_response"}:
        draft.add_result(text)
    elif written in _ROLES:
        draft.add(_ROLES[written], text)
    else:
        draft.leave_out(f"role {written}")


_LISTS = ("messages", "conversations", "conversation", "dialogue", "dialog", "chat", "turns")
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
_COMPARED = (
    ("chosen", "rejected"),
    ("preferred_output", "non_preferred_output"),
    ("response_a", "response_b"),
    ("conversation_a", "conversation_b"),
    ("response_0", "response_1"),
)
_SAMPLES = (("input", "ideal"), ("input", "target"))
"""Columns of samples of openai/evals and Inspect: a request with its right answer."""
_SYSTEM = ("system", "system_prompt", "system_message")
_NAMES = ("id", "conversation_id", "conversation_hash", "prompt_id", "uuid")
_NO_TEXT = frozenset({"images", "image", "videos", "audios"})


def is_dataset_row(row: Fields) -> bool:
    """Return whether the columns of a row have known names."""
    return (
        _find_first_pair(_COMPARED, row) is not None
        or _find_first_pair(_SAMPLES, row) is not None
        or _find_message_list(row) is not None
        or _find_pair(row) is not None
        or (
            isinstance(row.get("text"), str)
            and row.keys() <= {"text", "id", "meta", "metadata", "source", "url"}
        )
    )


def read_dataset_row(row: Fields) -> Draft:
    """Return the conversation of a row.

    Raises:
        UnknownShapeError: the row compares answers, has text without roles, or is damaged.
    """
    if sample := _find_first_pair(_SAMPLES, row):
        raise UnknownShapeError(f"is a sample of an evaluation ({', '.join(sample)}): no answer")
    if compared := _find_first_pair(_COMPARED, row):
        raise UnknownShapeError(
            f"is a preference row ({', '.join(compared)}): a session holds one answer; name the"
            " columns of the better one prompt and completion"
        )
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
    draft.leave_out_fields(
        {*_NAMES, *_SYSTEM, "model", "title", "history", *_NO_TEXT, *columns}, row
    )
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
    written = turn[speaker]
    role = written.lower() if isinstance(written, str) else written
    content: object = turn.get(text)
    add_message(message | {"role": role, "content": content}, draft)


def _find_first_pair(pairs: Sequence[tuple[str, str]], row: Fields) -> tuple[str, str] | None:
    return next((pair for pair in pairs if all(row.get(name) is not None for name in pair)), None)


def _find_pair(row: Fields) -> tuple[str, str] | None:
    """Return the columns of request and answer in a row; None if it has none."""
    pairs = [(request, answer) for request, answers in _ANSWERS.items() for answer in answers]
    texts = {name: row[name] for name in row if isinstance(row[name], str | list)}
    return _find_first_pair(pairs, texts)


def _find_message_list(row: Fields) -> tuple[str, list[object]] | None:
    for name in _LISTS:
        turns = as_items(row.get(name)) or zip_columns(get_object(row, name))
        if any(
            turn.keys() & set(_SPEAKERS) and turn.keys() & {*_TEXTS, "tool_calls"}
            for turn in list_objects(turns)
        ):
            return name, turns
    return None
