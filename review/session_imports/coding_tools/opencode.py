"""OpenCode's `export`: a JSON object with `info` and `messages`, each with `info` and `parts`.

Texts that the program added are marked `synthetic`. `info.revert` names the first message that was
taken back; all later messages were taken back, too. A session with a parent is a sub-agent's.
"""

import re
from collections.abc import Iterator
from itertools import takewhile

from records.foreign.fields import (
    Fields,
    as_fields,
    find_text,
    get_count,
    get_object,
    list_objects,
    parse_moment,
    require_list,
    require_object,
    require_text,
)
from records.shapes.attempt import Tokens
from records.shapes.totals import sum_known
from review.session_imports.common.drafts import (
    Draft,
    find_folder_name,
    format_value,
)
from review.session_imports.common.source_file import SourceFile

NAME = "opencode"
_NOTHING = frozenset({"tool", "step-start", "step-finish", "snapshot", "patch", "retry", "agent"})
"""Kinds of parts that have no text, or repeat others."""
_UNNAMED = re.compile(r"(?:New|Child) session - \d{4}-\d{2}-\d{2}T[\d:.]+Z")
"""The title that OpenCode gives to a session without a title."""


def recognises(source: SourceFile) -> bool:
    """Return whether one of the first records is an export."""
    return any(
        "directory" in record["info"]
        or any("parts" in message for message in list_objects(record.get("messages")))
        for record in source.head
        if isinstance(record.get("info"), dict)
    )


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield the session of each export, and report the parts that could not be read."""
    for number, record in source.read_records():
        with source.catch_problems(number):
            info = require_object(record.get("info"), "info")
            listed = require_list(record.get("messages"), "messages")
            parent = info.get("parentID")
            if isinstance(parent, str):
                source.report_sub_agent(number, parent)
            else:
                yield _read_draft(source, number, info, listed)


def _read_draft(
    source: SourceFile, record_number: int, info: Fields, listed: list[object]
) -> Draft:
    title = find_text(info, "title")
    draft = Draft(
        may_be_empty=True,
        identity=find_text(info, "id"),
        replaces_earlier=True,
        place=record_number,
        title=None if title is None or _UNNAMED.fullmatch(title) else title,
        project=find_folder_name(info.get("directory")),
    )
    live = _select_live_messages(info, listed)
    known_ids: set[str] = set()
    for number, message in enumerate(live, 1):
        with source.catch_problems(0, f"message {number}"):
            _add_message(require_object(message, "a message"), known_ids, draft)
    draft.leave_out("message taken back", len(listed) - len(live))
    return draft


def _select_live_messages(info: Fields, listed: list[object]) -> list[object]:
    """Return the messages that were not taken back."""
    revert = get_object(info, "revert")
    first = revert.get("messageID")
    if not isinstance(first, str):
        return listed
    infos = (get_object(as_fields(message), "info") for message in listed)
    kept = list(takewhile(lambda info: info.get("id") != first, infos))
    live = listed[: len(kept)]
    cut = as_fields(next(iter(listed[len(live) :]), None))
    name = revert.get("partID")  # the first part that was taken back
    parts = list_objects(cut.get("parts")) if isinstance(name, str) else []
    parts = list(takewhile(lambda part: part.get("id") != name, parts))
    return [*live, {**cut, "parts": parts}] if parts else live


def _add_message(message: Fields, known_ids: set[str], draft: Draft) -> None:
    """Append a message, the program's additions to it, and the results of its calls.

    A message whose id is in ``known_ids`` is a repetition, and is not read.
    """
    info = require_object(message.get("info"), "info")
    name = info.get("id")
    if isinstance(name, str) and name in known_ids:
        return
    parts = [require_object(part, "a part") for part in require_list(message.get("parts"), "parts")]
    role = require_text(info, "role")
    tools = [part for part in parts if part.get("type") == "tool"]
    texts = {True: list[str](), False: list[str]()}
    for part in parts:
        is_added = part.get("type") in ("subtask", "compaction")
        marks = (part.get("synthetic"), part.get("ignored"), is_added)
        texts[any(marks)].append(_read_text(part, draft))
    added, spoken = ("\n".join(filter(None, texts[is_added])) for is_added in (True, False))
    fields = as_fields(info.get("time"))
    begun, ended = parse_moment(fields.get("created")), parse_moment(fields.get("completed"))
    draft.at = begun
    seconds = (ended - begun).total_seconds() if begun and ended else None
    facts = {
        "model": info.get("modelID") if role == "assistant" else None,
        "tokens": _read_usage(info.get("tokens")),
        "cost_usd": info.get("cost"),
        "duration_s": seconds if seconds is None or seconds >= 0 else None,
    }
    if role == "assistant" and info.get("summary") is True:
        draft.add("program", spoken)
    elif spoken or tools or not (added or info.get("error")):
        calls = [
            draft.call(
                require_text(part, "tool"),
                require_object(part.get("state"), "state").get("input"),
                require_text(part, "callID"),
            )
            for part in tools
        ]
        draft.add(role, spoken, calls=calls, **facts)
    draft.add_spoken("program", added)
    for part in tools:
        draft.add_result(_read_result(part, draft), call_id=require_text(part, "callID"))
    if error := get_object(info, "error"):
        kind, reason = str(error.get("name", "error")), get_object(error, "data").get("message")
        draft.add("program", f"{kind}: {reason}" if reason else kind)
    if isinstance(name, str):
        known_ids.add(name)


def _read_text(part: Fields, draft: Draft) -> str:
    kind = str(part.get("type"))
    if kind in _NOTHING:
        return ""
    if kind == "compaction":
        return "[compaction]"
    if kind == "text":
        return require_text(part, "text")
    if kind == "file":
        is_image = str(part.get("mime", "")).startswith("image/")
        return draft.mark_file(find_text(part, "filename"), is_image=is_image)
    if kind == "subtask":
        part = {"type": "text", "text": part.get("prompt")}
    return draft.read_text([part])


def _read_result(part: Fields, draft: Draft) -> str:
    state = require_object(part.get("state"), "state")
    text = format_value(state.get("output", state.get("error", "")))
    pictures = [_read_text(file, draft) for file in list_objects(state.get("attachments"))]
    return "\n".join([text, *pictures])


def _read_usage(tokens: object) -> Tokens | None:
    """Return the usage as this project counts it; OpenCode counts cached input apart from input.

    Some versions count reasoning apart from output, too, which a total in the record shows.
    """
    fields = as_fields(tokens)
    if not fields:
        return None
    cache = get_object(fields, "cache")
    read, written = get_count(cache, "read"), get_count(cache, "write")
    whole = sum_known((get_count(fields, "input"), read, written))
    output, reasoning = get_count(fields, "output"), get_count(fields, "reasoning")
    together = sum_known((output, reasoning))
    is_beside = sum_known((whole, together)) == get_count(fields, "total")
    return Tokens(
        input=whole,
        cached_input=read,
        output=together if is_beside else output,
        reasoning=reasoning,
    )
