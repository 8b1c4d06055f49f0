"""OpenCode's `export`: a JSON object with `info` and `messages`, each with `info` and `parts`.

Texts that the program added are marked `synthetic`. `info.revert` names the first message that was
taken back; all later messages were taken back, too. A session with a parent is a sub-agent's.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from records.sessions.session import SessionMessage, ToolCall
from records.shapes.attempt import Tokens
from review.session_imports.common.adapter import ReadSession, report_left_out_sub_agent
from review.session_imports.common.loose_fields import (
    as_fields,
    find_text,
    format_arguments,
    get_count,
    get_object,
    sum_known,
)
from review.session_imports.common.parts import FILE, IMAGE, format_file_mark, read_content_text
from review.session_imports.common.reading import (
    UNREADABLE,
    BadLine,
    UnknownShapeError,
    describe_error,
    find_folder_name,
    list_objects,
    parse_moment,
    require_list,
    require_object,
    require_text,
)
from review.session_imports.common.source_file import Fields, SourceFile

NAME = "opencode"
_NOTHING: Final = frozenset(
    {"tool", "step-start", "step-finish", "snapshot", "patch", "retry", "agent"}
)
"""Kinds of parts that have no text, or repeat others."""
_UNNAMED: Final = re.compile(r"(?:New|Child) session - \d{4}-\d{2}-\d{2}T[\d:.]+Z")
"""The title that OpenCode gives to a session without a title."""


def recognises(source: SourceFile) -> bool:
    """Return whether one of the first records is an export."""
    return any(map(_is_export, source.head))


def _is_export(record: Fields) -> bool:
    messages = list_objects(record.get("messages"))
    return isinstance(record.get("info"), dict) and (
        any("parts" in message for message in messages) or "directory" in record["info"]
    )


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield the session of each export, and the problems of parts that could not be read."""
    for number, record in source.read_records():
        if isinstance(record, BadLine):
            yield record
            continue
        try:
            info = require_object(record.get("info"), "info")
            listed = require_list(record.get("messages"), "messages")
        except UnknownShapeError as error:
            yield source.report_problem(number, str(error))
            continue
        parent = info.get("parentID")
        if isinstance(parent, str):
            yield report_left_out_sub_agent(source, number, parent)
        else:
            yield from _read_session(source, number, info, listed)


def _read_session(
    source: SourceFile, place: int, info: Fields, listed: list[object]
) -> Iterator[ReadSession | BadLine]:
    reading = _Conversation()
    live = _select_live_messages(info, listed)
    for number, message in enumerate(live, 1):
        try:
            reading.take(require_object(message, "a message"))
        except UNREADABLE as error:
            yield source.report_problem(0, f"message {number}: {describe_error(error)}")
    reading.left_out["message taken back"] += len(listed) - len(live)
    if not reading.messages:
        yield source.report_problem(place, "holds no message", wrong=False)
        return
    title = find_text(info, "title")
    yield ReadSession(
        reading.messages,
        identity=find_text(info, "id"),
        place=place,
        title=None if title is None or _UNNAMED.fullmatch(title) else title,
        project=find_folder_name(info.get("directory")),
        left_out=reading.left_out,
    )


def _select_live_messages(info: Fields, listed: list[object]) -> list[object]:
    """Return the messages that were not taken back."""
    revert = get_object(info, "revert")
    first = revert.get("messageID")
    if not isinstance(first, str):
        return listed
    live = list(takewhile(lambda message: _read_id(message) != first, listed))
    cut = as_fields(next(iter(listed[len(live) :]), None))
    parts = _select_parts_before(revert.get("partID"), cut)
    return [*live, {**cut, "parts": parts}] if parts else live


def _select_parts_before(name: object, message: Fields) -> list[Fields]:
    """Return the parts of a message before the part ``name``, the first that was taken back."""
    if not isinstance(name, str):
        return []
    return list(takewhile(lambda part: part.get("id") != name, list_objects(message.get("parts"))))


def _read_id(message: object) -> object:
    return get_object(as_fields(message), "info").get("id")


class _Conversation:
    """The conversation so far."""

    def __init__(self) -> None:
        self.messages: list[SessionMessage] = []
        self.left_out: Counter[str] = Counter()
        self._known: set[str] = set()

    def take(self, message: Fields) -> None:
        """Read a message, the program's additions to it, and the results of its calls.

        Raises:
            UnknownShapeError: the message does not have the shape of a message.
        """
        info = require_object(message.get("info"), "info")
        name = info.get("id")
        if isinstance(name, str) and name in self._known:
            return
        parts = [
            require_object(part, "a part") for part in require_list(message.get("parts"), "parts")
        ]
        role = require_text(info, "role")
        tools = [part for part in parts if part.get("type") == "tool"]
        texts = [(_is_added(part), self._read_text(part)) for part in parts]
        spoken = "\n".join(text for is_added, text in texts if text and not is_added)
        added = "\n".join(text for is_added, text in texts if text and is_added)
        at, duration = _read_times(info.get("time"))
        facts = {
            "model": info.get("modelID") if role == "assistant" else None,
            "tokens": _read_usage(info.get("tokens")),
            "cost_usd": info.get("cost"),
            "duration_s": duration,
        }
        if role == "assistant" and info.get("summary") is True:
            self._add("program", spoken, at)
        elif spoken or tools or not (added or info.get("error")):
            self._add(role, spoken, at, tool_calls=tuple(map(_read_call, tools)), **facts)
        if added:
            self._add("program", added, at)
        for part in tools:
            self._add(
                "tool", self._read_result(part), at, tool_call_id=require_text(part, "callID")
            )
        if error := _describe_answer_error(info.get("error")):
            self._add("program", error, at)
        if isinstance(name, str):
            self._known.add(name)

    def _read_text(self, part: Fields) -> str:
        kind = str(part.get("type"))
        if kind in _NOTHING:
            return ""
        if kind == "file":
            if not str(part.get("mime", "")).startswith("image/"):
                self.left_out[FILE] += 1
                return format_file_mark(find_text(part, "filename"))
            part = {"type": IMAGE}
        elif kind == "subtask":
            part = {"type": "text", "text": part.get("prompt")}
        elif kind == "compaction":
            return "[compaction]"
        elif kind == "text":
            return require_text(part, "text")
        return read_content_text([part], self.left_out)

    def _read_result(self, part: Fields) -> str:
        state = require_object(part.get("state"), "state")
        output = state.get("output", state.get("error", ""))
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        pictures = [self._read_text(file) for file in list_objects(state.get("attachments"))]
        return "\n".join([text, *pictures])

    def _add(self, role: str, text: str, at: object, **more: object) -> None:
        message = {"role": role, "text": text, "at": at, **more}
        self.messages.append(SessionMessage.model_validate(message))


def _is_added(part: Fields) -> bool:
    """Return whether the program wrote a part of a message."""
    kinds = {"subtask", "compaction"}
    return bool(part.get("synthetic") or part.get("ignored")) or str(part.get("type")) in kinds


def _read_times(time: object) -> tuple[object, float | None]:
    """Return the time at which a message began, and its duration in seconds."""
    fields = as_fields(time)
    begun, ended = parse_moment(fields.get("created")), parse_moment(fields.get("completed"))
    seconds = (ended - begun).total_seconds() if begun and ended else None
    return begun, seconds if seconds is None or seconds >= 0 else None


def _describe_answer_error(error: object) -> str:
    """Return the text of an error that ended an answer; empty without an error."""
    fields = as_fields(error)
    if not fields:
        return ""
    name = str(fields.get("name", "error"))
    text = get_object(fields, "data").get("message")
    return f"{name}: {text}" if text else name


def _read_call(part: Fields) -> ToolCall:
    state = require_object(part.get("state"), "state")
    return ToolCall(
        id=require_text(part, "callID"),
        name=require_text(part, "tool"),
        arguments=format_arguments(state.get("input")),
    )


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
