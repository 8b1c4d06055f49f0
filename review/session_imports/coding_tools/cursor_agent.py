"""Records of Cursor's agent: transcripts (``agent-transcripts/*.jsonl``) and ``stream-json``.

A line of a transcript is ``{"role", "message": {"content": [...]}}``, without ids and results of
tools. The stream of the CLI has ids, and calls with their results. It repeats the text of an answer
after its pieces.
"""

import json
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Final

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
    require_text,
)
from records.foreign.usage import read_token_report
from records.sessions.session import ToolCall
from review.session_imports.common.drafts import Draft, find_folder_name
from review.session_imports.common.program_blocks import split_blocks
from review.session_imports.common.source_file import SourceFile

_QUERY: Final = "<user_query>"
_QUERY_END: Final = "</user_query>"
_TIMESTAMP: Final = re.compile(r"<timestamp>([^<]*)</timestamp>")
_TIME: Final = re.compile(
    r"(\w{3} \d{1,2}, \d{4}, \d{1,2}:\d{2} [AP]M) \(UTC(?:([+-]\d{1,2})(?::(\d{2}))?)?\)"
)
_CONTINUED: Final = "The above subagent result is already visible to the user."
"""The beginning of a request that the program wrote."""
_ENDS: Final = frozenset({"turn_ended", "system", "interaction_query", "connection"})
_ROLES: Final = frozenset({"user", "assistant", "system"})
_ANTHROPIC_NAMES: Final = {
    "inputTokens": "input_tokens",
    "cacheReadTokens": "cache_read_input_tokens",
    "cacheWriteTokens": "cache_creation_input_tokens",
    "outputTokens": "output_tokens",
}
"""Names of counts in a report of usage, which is Anthropic's but for their spelling."""


@dataclass
class _AgentReading:
    """The conversation so far."""

    draft: Draft
    pieces: list[str] = field(default_factory=list[str])
    """The streamed pieces of an answer."""
    whole: list[str] = field(default_factory=list[str])
    """Whole texts of an answer, which repeat its pieces if there are any."""

    def end_answer(self, *calls: ToolCall, at: datetime | None = None) -> None:
        """Append the answer so far as a message, with the calls after it."""
        text = "".join(self.pieces) or "\n".join(self.whole)
        self.pieces, self.whole = [], []
        if text.strip() or calls:
            self.draft.add("assistant", text, calls=calls, at=at, model=self.draft.model)


def is_agent_record(record: Fields) -> bool:
    """Return whether a record belongs to a transcript or to the stream of the CLI."""
    if record.get("type") == "tool_call":
        return isinstance(record.get("tool_call"), dict)
    if record.get("type") == "system":
        return record.get("subtype") == "init" and "session_id" in record and "tools" not in record
    is_line = record.keys() <= {"role", "message", "timestamp", "timestamp_ms"}
    return (
        is_line
        and get_text(record, "role") in _ROLES
        and "content" in get_object(record, "message")
    )


def read_agent(source: SourceFile) -> Draft:
    """Return the session of a file, and report each record that could not be read."""
    reading = _AgentReading(Draft(may_be_empty=True))
    for number, record in source.read_records():
        with source.catch_problems(number):
            _take(record, reading)
    reading.end_answer()
    return reading.draft


def _take(record: Fields, reading: _AgentReading) -> None:
    draft = reading.draft
    draft.identity = draft.identity or find_text(record, "session_id")
    kind = get_text(record, "type", "role")
    at = parse_moment(record.get("timestamp_ms", record.get("timestamp")))
    if kind == "user":
        reading.end_answer()
        _add_request(require_object(record.get("message"), "message"), at, draft)
    elif kind == "assistant":
        _take_answer(record, at, reading)
    elif kind == "tool_call":
        _take_call(record, at, reading)
    elif kind == "thinking":
        draft.leave_out("reasoning", int(record.get("subtype") != "delta"))
    elif kind == "result":
        reading.end_answer()
        _take_result(record, draft)
    elif kind == "system" and "message" in record:
        content = require_object(record["message"], "message").get("content")
        draft.add("system", draft.read_content(content))
    elif kind in _ENDS:
        draft.model = draft.model or find_text(record, "model")
        draft.project = draft.project or find_folder_name(record.get("cwd"))
        if error := find_text(record, "error"):
            draft.add("program", error, at=at)
    else:
        draft.leave_out(f"type {kind or 'unknown'}")


def _add_request(message: Fields, at: datetime | None, draft: Draft) -> None:
    """Append a request; texts around it that the program wrote become messages of the program."""
    parts = as_items(message.get("content")) or [message.get("content")]
    texts = [part for part in parts if isinstance(part, str) or get_text(as_fields(part), "text")]
    marks = draft.read_content([part for part in parts if part is not None and part not in texts])
    text = draft.read_content(texts)
    time = _TIMESTAMP.search(text)
    if time is not None:
        at = at or _parse_time(time[1])
        text = _TIMESTAMP.sub("", text)
    queries, around = split_blocks(text, _QUERY, _QUERY_END)
    around = around.strip() if queries else ""
    if around:
        draft.add("program", around, at=at)
    request = "\n\n".join(map(str.strip, queries)) if queries else text.strip()
    request = "\n".join(part for part in (request, marks) if part)
    if request:
        draft.add("program" if request.startswith(_CONTINUED) else "user", request, at=at)
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


def _take_answer(record: Fields, at: datetime | None, reading: _AgentReading) -> None:
    """Read an answer, or a piece of one, which has a time but no id of a call of the model."""
    content = require_object(record.get("message"), "message").get("content")
    text = reading.draft.read_content(content, read=("tool_use",))
    calls = [
        reading.draft.call(require_text(part, "name"), part.get("input"), part.get("id"))
        for part in list_objects(content)
        if part.get("type") == "tool_use"
    ]
    is_piece = "timestamp_ms" in record and "model_call_id" not in record
    (reading.pieces if is_piece else reading.whole).append(text)
    if "type" not in record:
        if not text.strip() and not calls:
            reading.draft.leave_out("empty message")
        reading.end_answer(*calls, at=at)


def _take_call(record: Fields, at: datetime | None, reading: _AgentReading) -> None:
    """Read the beginning of a call, or its end with the result."""
    fields = require_object(record.get("tool_call"), "tool_call")
    key = next((name for name in fields if name.endswith("ToolCall")), next(iter(fields), "tool"))
    tool = get_object(fields, key)
    call_id = record.get("call_id")
    if record.get("subtype") == "completed" and reading.draft.waits_for(call_id):
        text = _read_result_text(tool.get("result", fields.get("result")))
        reading.draft.add_result(text, call_id=call_id, at=at)
        return
    name = find_text(tool, "name") or key.removesuffix("ToolCall")
    arguments: object = tool.get("args", tool.get("arguments"))
    reading.end_answer(reading.draft.call(name, arguments, call_id), at=at)
    if record.get("subtype") == "completed":
        reading.draft.add_result(_read_result_text(tool.get("result")), call_id=call_id, at=at)


def _read_result_text(result: object) -> str:
    """Return the text in a result; a result without the usual fields becomes JSON."""
    if isinstance(result, str):
        return result
    fields = as_fields(result)
    for outcome in ("success", "error", "failure", "rejected"):
        inner = get_object(fields, outcome)
        if text := find_text(inner, "content", "stdout", "output", "message", "errorMessage"):
            return text
    return json.dumps(result, ensure_ascii=False) if result else ""


def _take_result(record: Fields, draft: Draft) -> None:
    """Read the end of a turn. Its text repeats the answer, unless the turn failed."""
    usage = get_object(record, "usage")
    report = {_ANTHROPIC_NAMES.get(name, name): count for name, count in usage.items()}
    draft.mark_last_answer(tokens=read_token_report(report).as_tokens())
    text = find_text(record, "result")
    if record.get("is_error") is True:
        draft.add("program", text or "the turn failed")
    elif text and not any(message.role == "assistant" for message in draft.messages):
        draft.add("assistant", text)
