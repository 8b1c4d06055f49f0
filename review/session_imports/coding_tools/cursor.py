"""Conversations of Cursor: Markdown exports, transcripts of its agent, and its CLI's stream."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from records.foreign.fields import (
    Fields,
    as_fields,
    as_items,
    find_text,
    get_object,
    get_text,
    list_objects,
    parse_moment,
    require_object,
)
from records.foreign.usage import read_token_report
from records.sessions.session import ToolCall
from review.session_imports.common.drafts import Draft, find_folder_name, format_value, split_blocks
from review.session_imports.common.source_file import SourceFile

NAME = "cursor"
_TIMESTAMP = re.compile(r"<timestamp>([^<]*)</timestamp>")
_TIME = re.compile(
    r"(\w{3} \d{1,2}, \d{4}, \d{1,2}:\d{2} [AP]M) \(UTC(?:([+-]\d{1,2})(?::(\d{2}))?)?\)"
)
_CONTINUED = "The above subagent result is already visible to the user."
"""The beginning of a request that the program wrote."""
_ANTHROPIC_NAMES = {
    "inputTokens": "input_tokens",
    "cacheReadTokens": "cache_read_input_tokens",
    "cacheWriteTokens": "cache_creation_input_tokens",
    "outputTokens": "output_tokens",
}
"""Names of counts in a report of usage, which is Anthropic's but for their spelling."""
_HEAD_BYTES = 2000
_BEGIN = "_**"
_END = "**_"
_SPECSTORY_SPEAKERS = {
    "User": "user",
    "Assistant": "assistant",
    "Agent": "assistant",
}
_NAME = re.compile(r"[\w./:-]+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TITLE = "# "
_SPEAKERS = {
    "**User**": "user",
    "**Cursor**": "assistant",
    "**Assistant**": "assistant",
}
_RULE = "---"
"""The line between two messages."""


def recognises(source: SourceFile) -> bool:
    """Return whether the file is a Markdown export or a record of the agent."""
    head = _decode_text(source.text[:_HEAD_BYTES])
    is_export = is_markdown_export(head) or is_specstory(head)
    return is_export or any(map(_is_agent_record, source.head))


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield the session of a file, and report each part that could not be read."""
    head = _decode_text(source.text[:_HEAD_BYTES])
    if is_markdown_export(head):
        yield read_markdown_export(_decode_text(source.text))
    elif is_specstory(head):
        yield read_specstory(_decode_text(source.text))
    else:
        reading = _AgentReading(may_be_empty=True)
        for number, record in source.read_records():
            with source.catch_problems(number):
                _take(record, reading)
        reading.end_answer(at=None)
        yield reading


def _decode_text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


@dataclass
class _AgentReading(Draft):
    """The conversation so far."""

    pieces: list[str] = field(default_factory=list[str])
    """The streamed pieces of an answer."""
    whole: list[str] = field(default_factory=list[str])
    """Whole texts of an answer, which repeat its pieces if there are any."""

    def end_answer(self, *calls: ToolCall, **facts: object) -> None:
        """Append the answer so far as a message, with the calls after it."""
        text = "".join(self.pieces) or "\n".join(self.whole)
        self.pieces, self.whole = [], []
        self.add_spoken("assistant", text, calls=calls, model=self.model, **facts)


def _is_agent_record(record: Fields) -> bool:
    """Return whether a record belongs to a transcript or to the stream of the CLI."""
    if record.get("type") == "tool_call":
        return isinstance(record.get("tool_call"), dict)
    if record.get("type") == "system":
        return record.get("subtype") == "init" and "session_id" in record and "tools" not in record
    is_line = record.keys() <= {"role", "message", "timestamp", "timestamp_ms"}
    return (
        is_line
        and get_text(record, "role") in {"user", "assistant", "system"}
        and "content" in get_object(record, "message")
    )


def _take(record: Fields, reading: _AgentReading) -> None:
    reading.identity = reading.identity or find_text(record, "session_id")
    kind = get_text(record, "type", "role")
    reading.at = parse_moment(record.get("timestamp_ms", record.get("timestamp")))
    if kind == "user":
        reading.end_answer(at=None)
        _add_request(require_object(record.get("message"), "message"), reading)
    elif kind == "assistant":
        _take_answer(record, reading)
    elif kind == "tool_call":
        _take_call(record, reading)
    elif kind == "thinking":
        reading.leave_out("reasoning", int(record.get("subtype") != "delta"))
    elif kind == "result":
        reading.end_answer(at=None)
        _take_result(record, reading)
    elif kind == "system" and "message" in record:
        content = require_object(record["message"], "message").get("content")
        reading.add("system", reading.read_content(content), at=None)
    elif kind in {"turn_ended", "system", "interaction_query", "connection"}:
        reading.model = reading.model or find_text(record, "model")
        reading.project = reading.project or find_folder_name(record.get("cwd"))
        reading.add_spoken("program", get_text(record, "error"))
    else:
        reading.leave_out(f"type {kind or 'unknown'}")


def _add_request(message: Fields, draft: Draft) -> None:
    """Append a request; texts around it that the program wrote become messages of the program."""
    parts = as_items(message.get("content")) or [message.get("content")]
    texts = [part for part in parts if isinstance(part, str) or get_text(as_fields(part), "text")]
    marks = draft.read_content([part for part in parts if part is not None and part not in texts])
    text = draft.read_content(texts)
    time = _TIMESTAMP.search(text)
    if time is not None:
        draft.at = draft.at or _parse_time(time[1])
        text = _TIMESTAMP.sub("", text)
    queries, around = split_blocks(text, "<user_query>", "</user_query>")
    around = around.strip() if queries else ""
    draft.add_spoken("program", around)
    request = "\n\n".join(map(str.strip, queries)) if queries else text.strip()
    request = "\n".join(part for part in (request, marks) if part)
    if request:
        draft.add("program" if request.startswith(_CONTINUED) else "user", request)
    elif not around:
        draft.leave_out("empty message")


def _parse_time(text: str) -> datetime | None:
    """Return a time such as ``Friday, May 8, 2026, 6:05 AM (UTC+5:30)``."""
    words = _TIME.search(text)
    if words is None:
        return None
    hours, minutes = int(words[2] or 0), int(words[3] or 0)
    try:
        offset = timezone(timedelta(hours=hours, minutes=-minutes if hours < 0 else minutes))
        return datetime.strptime(words[1], "%b %d, %Y, %I:%M %p").replace(tzinfo=offset)
    except ValueError:
        return None


def _take_answer(record: Fields, reading: _AgentReading) -> None:
    """Read an answer, or a piece of one, which has a time but no id of a call of the model."""
    content = require_object(record.get("message"), "message").get("content")
    text = reading.read_content(content, read=("tool_use",))
    calls = [
        reading.read_call(part, "input")
        for part in list_objects(content)
        if part.get("type") == "tool_use"
    ]
    is_piece = "timestamp_ms" in record and "model_call_id" not in record
    (reading.pieces if is_piece else reading.whole).append(text)
    if "type" not in record:
        if not text.strip() and not calls:
            reading.leave_out("empty message")
        reading.end_answer(*calls)


def _take_call(record: Fields, reading: _AgentReading) -> None:
    """Read the beginning of a call, or its end with the result."""
    fields = require_object(record.get("tool_call"), "tool_call")
    key = next((name for name in fields if name.endswith("ToolCall")), next(iter(fields), "tool"))
    tool = get_object(fields, key)
    call_id = record.get("call_id")
    if record.get("subtype") == "completed" and reading.waits_for(call_id):
        text = _read_result_text(tool.get("result", fields.get("result")))
        reading.add_result(text, call_id=call_id)
        return
    name = find_text(tool, "name") or key.removesuffix("ToolCall")
    arguments: object = tool.get("args", tool.get("arguments"))
    reading.end_answer(reading.call(name, arguments, call_id))
    if record.get("subtype") == "completed":
        reading.add_result(_read_result_text(tool.get("result")), call_id=call_id)


def _read_result_text(result: object) -> str:
    """Return the text in a result; a result without the usual fields becomes JSON."""
    fields = as_fields(result)
    for outcome in ("success", "error", "failure", "rejected"):
        inner = get_object(fields, outcome)
        if text := find_text(inner, "content", "stdout", "output", "message", "errorMessage"):
            return text
    return format_value(result) if result else ""


def _take_result(record: Fields, draft: Draft) -> None:
    """Read the end of a turn. Its text repeats the answer, unless the turn failed."""
    usage = get_object(record, "usage")
    report = {_ANTHROPIC_NAMES.get(name, name): count for name, count in usage.items()}
    draft.mark_last_answer(tokens=read_token_report(report).as_tokens())
    text = find_text(record, "result")
    if record.get("is_error") is True:
        draft.add("program", text or "the turn failed", at=None)
    elif text and not any(message.role == "assistant" for message in draft.messages):
        draft.add("assistant", text, at=None)


def is_specstory(head: str) -> bool:
    """Return whether ``head`` begins a file of SpecStory."""
    return head.lstrip().startswith("<!-- Generated by SpecStory")


def read_specstory(text: str) -> Draft:
    """Return the conversation of a file."""
    draft = Draft()
    role: str | None = None
    lines: list[str] = []
    of_helper = False
    thoughts, spoken = split_blocks(text, "<think>", "</think>")
    draft.leave_out("reasoning", len(thoughts))
    for line in spoken.split("\n"):
        speaker = _parse_speaker(line)
        if speaker in _SPECSTORY_SPEAKERS:
            add_message(role, lines, draft, of_helper=of_helper)
            role, lines, of_helper = _SPECSTORY_SPEAKERS[speaker], [], "sidechain" in line
            if role == "assistant" and not of_helper:
                draft.model = _parse_model(line) or draft.model
        elif role is not None:
            lines.append(line)
        elif line.startswith("<!--"):
            # The comment may name the session: `<!-- Cursor Session abc (2026-01-31) -->`.
            name = line.partition(" Session ")[2].strip().partition(" ")[0]
            draft.identity = draft.identity or name or None
        elif line.startswith(_TITLE):
            draft.title = draft.title or line.removeprefix(_TITLE).partition(" (2")[0].strip()
        else:
            lines.append(line)
    add_message(role, lines, draft, of_helper=of_helper)
    return draft


def _parse_speaker(line: str) -> str:
    """Return the first word of a speaker's line; an empty text for any other line."""
    words = line.strip()
    if not (words.startswith(_BEGIN) and words.endswith(_END)):
        return ""
    name = words.removeprefix(_BEGIN).removesuffix(_END)
    return name.partition(" (")[0].partition(":")[0].partition(" - ")[0]


def _parse_model(line: str) -> str | None:
    """Return the model of a speaker: ``(model gpt-5, mode Agent)`` or ``(gpt-5 2026-05-01)``."""
    for words in line.split("(")[1:]:
        name = re.split(r"[,\s)]", words.removeprefix("model "), maxsplit=1)[0]
        is_word = _NAME.fullmatch(name) and any(map(str.isalpha, name))
        if is_word and not _DATE.match(name):
            return name
    return None


def is_markdown_export(head: str) -> bool:
    """Return whether ``head`` begins an export, with a title, then the day of the export."""
    lines = [line for line in head.split("\n") if line.strip()]
    title, exported = [*lines, "", ""][:2]
    return (
        title.startswith(_TITLE)
        and exported.startswith("_Exported on ")
        and " from Cursor" in exported
    )


def read_markdown_export(text: str) -> Draft:
    """Return the conversation of an export."""
    title, _, below = text.partition("\n")
    _, _, body = below.lstrip("\n").partition("\n")
    draft = Draft(title=title.removeprefix(_TITLE).strip() or None)
    role: str | None = None
    lines: list[str] = []
    previous = _RULE
    for line in body.split("\n"):
        words = line.strip()
        if words in _SPEAKERS and previous == _RULE:
            add_message(role, lines, draft)
            role, lines = _SPEAKERS[words], []
        else:
            lines.append(line)
        previous = words or previous
    add_message(role, lines, draft)
    return draft


def add_message(
    role: str | None, lines: list[str], draft: Draft, *, of_helper: bool = False
) -> None:
    """Append the message in some lines, without the rule after it.

    A text without a role, and a message of a sub-agent, are only counted.
    """
    text = "\n".join(lines).strip()
    text = text.removesuffix(f"\n{_RULE}").rstrip() if text != _RULE else ""
    if of_helper:
        draft.leave_out("sub-agent record")
    elif role is None:
        draft.leave_out("text before the first message", int(bool(text)))
    elif text:
        draft.add(role, text, model=draft.model if role == "assistant" else None)
    else:
        draft.leave_out("empty message")
