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
    arguments_text,
    as_fields,
    count_at,
    object_at,
    optional_text,
    sum_known,
)
from review.session_imports.common.parts import FILE, IMAGE, file_mark, text_of_content
from review.session_imports.common.reading import (
    UNREADABLE,
    BadLine,
    UnknownShapeError,
    folder_name,
    list_of,
    moment,
    object_of,
    objects_in,
    reason_of,
    text_at,
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
    messages = objects_in(record.get("messages"))
    return isinstance(record.get("info"), dict) and (
        any("parts" in message for message in messages) or "directory" in record["info"]
    )


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield the session of each export, and the problems of parts that could not be read."""
    for number, record in source.records():
        if isinstance(record, BadLine):
            yield record
            continue
        try:
            info = object_of(record.get("info"), "info")
            listed = list_of(record.get("messages"), "messages")
        except UnknownShapeError as error:
            yield source.problem(number, str(error))
            continue
        parent = info.get("parentID")
        if isinstance(parent, str):
            yield report_left_out_sub_agent(source, number, parent)
        else:
            yield from _session(source, number, info, listed)


def _session(
    source: SourceFile, place: int, info: Fields, listed: list[object]
) -> Iterator[ReadSession | BadLine]:
    reading = _Conversation()
    live = _live_messages(info, listed)
    for number, message in enumerate(live, 1):
        try:
            reading.take(object_of(message, "a message"))
        except UNREADABLE as error:
            yield source.problem(0, f"message {number}: {reason_of(error)}")
    reading.left_out["message taken back"] += len(listed) - len(live)
    if not reading.messages:
        yield source.problem(place, "holds no message", wrong=False)
        return
    title = optional_text(info, "title")
    yield ReadSession(
        reading.messages,
        identity=optional_text(info, "id"),
        place=place,
        title=None if title is None or _UNNAMED.fullmatch(title) else title,
        project=folder_name(info.get("directory")),
        left_out=reading.left_out,
    )


def _live_messages(info: Fields, listed: list[object]) -> list[object]:
    """Return the messages that were not taken back."""
    revert = object_at(info, "revert")
    first = revert.get("messageID")
    if not isinstance(first, str):
        return listed
    live = list(takewhile(lambda message: _id_of(message) != first, listed))
    cut = as_fields(next(iter(listed[len(live) :]), None))
    parts = _parts_before(revert.get("partID"), cut)
    return [*live, {**cut, "parts": parts}] if parts else live


def _parts_before(name: object, message: Fields) -> list[Fields]:
    """Return the parts of a message before the part ``name``, the first that was taken back."""
    if not isinstance(name, str):
        return []
    return list(takewhile(lambda part: part.get("id") != name, objects_in(message.get("parts"))))


def _id_of(message: object) -> object:
    return object_at(as_fields(message), "info").get("id")


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
        info = object_of(message.get("info"), "info")
        name = info.get("id")
        if isinstance(name, str) and name in self._known:
            return
        parts = [object_of(part, "a part") for part in list_of(message.get("parts"), "parts")]
        role = text_at(info, "role")
        tools = [part for part in parts if part.get("type") == "tool"]
        texts = [(_is_added(part), self._text_of(part)) for part in parts]
        spoken = "\n".join(text for is_added, text in texts if text and not is_added)
        added = "\n".join(text for is_added, text in texts if text and is_added)
        at, duration = _times(info.get("time"))
        facts = {
            "model": info.get("modelID") if role == "assistant" else None,
            "tokens": _tokens(info.get("tokens")),
            "cost_usd": info.get("cost"),
            "duration_s": duration,
        }
        if role == "assistant" and info.get("summary") is True:
            self._add("program", spoken, at)
        elif spoken or tools or not (added or info.get("error")):
            self._add(role, spoken, at, tool_calls=tuple(map(_call, tools)), **facts)
        if added:
            self._add("program", added, at)
        for part in tools:
            self._add("tool", self._result(part), at, tool_call_id=text_at(part, "callID"))
        if error := _error(info.get("error")):
            self._add("program", error, at)
        if isinstance(name, str):
            self._known.add(name)

    def _text_of(self, part: Fields) -> str:
        kind = str(part.get("type"))
        if kind in _NOTHING:
            return ""
        if kind == "file":
            if not str(part.get("mime", "")).startswith("image/"):
                self.left_out[FILE] += 1
                return file_mark(optional_text(part, "filename"))
            part = {"type": IMAGE}
        elif kind == "subtask":
            part = {"type": "text", "text": part.get("prompt")}
        elif kind == "compaction":
            return "[compaction]"
        elif kind == "text":
            return text_at(part, "text")
        return text_of_content([part], self.left_out)

    def _result(self, part: Fields) -> str:
        state = object_of(part.get("state"), "state")
        output = state.get("output", state.get("error", ""))
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        pictures = [self._text_of(file) for file in objects_in(state.get("attachments"))]
        return "\n".join([text, *pictures])

    def _add(self, role: str, text: str, at: object, **more: object) -> None:
        message = {"role": role, "text": text, "at": at, **more}
        self.messages.append(SessionMessage.model_validate(message))


def _is_added(part: Fields) -> bool:
    """Return whether the program wrote a part of a message."""
    kinds = {"subtask", "compaction"}
    return bool(part.get("synthetic") or part.get("ignored")) or str(part.get("type")) in kinds


def _times(time: object) -> tuple[object, float | None]:
    """Return the time at which a message began, and its duration in seconds."""
    fields = as_fields(time)
    begun, ended = moment(fields.get("created")), moment(fields.get("completed"))
    seconds = (ended - begun).total_seconds() if begun and ended else None
    return begun, seconds if seconds is None or seconds >= 0 else None


def _error(error: object) -> str:
    """Return the text of an error that ended an answer; empty without an error."""
    fields = as_fields(error)
    if not fields:
        return ""
    name = str(fields.get("name", "error"))
    text = object_at(fields, "data").get("message")
    return f"{name}: {text}" if text else name


def _call(part: Fields) -> ToolCall:
    state = object_of(part.get("state"), "state")
    return ToolCall(
        id=text_at(part, "callID"),
        name=text_at(part, "tool"),
        arguments=arguments_text(state.get("input")),
    )


def _tokens(tokens: object) -> Tokens | None:
    """Return the usage as this project counts it; OpenCode counts cached input apart from input.

    Some versions count reasoning apart from output, too, which a total in the record shows.
    """
    fields = as_fields(tokens)
    if not fields:
        return None
    cache = object_at(fields, "cache")
    read, written = count_at(cache, "read"), count_at(cache, "write")
    whole = sum_known((count_at(fields, "input"), read, written))
    output, reasoning = count_at(fields, "output"), count_at(fields, "reasoning")
    together = sum_known((output, reasoning))
    is_beside = sum_known((whole, together)) == count_at(fields, "total")
    return Tokens(
        input=whole,
        cached_input=read,
        output=together if is_beside else output,
        reasoning=reasoning,
    )
