"""Events of GitHub Copilot's agent, in VS Code and in Copilot CLI: JSONL with one on each line."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from records.foreign.fields import (
    Fields,
    as_fields,
    find_text,
    get_count,
    get_object,
    get_text,
    list_objects,
    parse_moment,
    require_text,
)
from records.foreign.usage import TokenReport
from records.shapes.attempt import Tokens
from records.shapes.totals import sum_tokens
from review.session_imports.common import drafts
from review.session_imports.common.source_file import SourceFile

_BEGIN = "session.start"
_SPOKEN = frozenset({"user.message", "assistant.message"})
_STEERING = (
    "assistant.turn_",
    "assistant.usage",
    "assistant.intent",
    "hook.",
    "permission.",
    "session.",
    "tool.execution_p",
)
"""Beginnings of types of events that control the program and have no part of the conversation."""
_NOTICES: Mapping[str, str] = {
    "system.notification": "content",
    "session.error": "message",
    "session.warning": "message",
    "session.info": "message",
    "session.compaction_complete": "summaryContent",
    "abort": "reason",
}
"""The field with the text, for events that the program shows or writes."""
_INJECTED = "<skill-context"
"""The beginning of a request that the program wrote."""


@dataclass
class _CopilotReading(drafts.Draft):
    """The conversation so far."""

    calls: set[str] = field(default_factory=set[str])
    """The ids of all calls."""
    by_person: set[str] = field(default_factory=set[str])
    """The ids of calls that a person made."""
    lengths: dict[str, int] = field(default_factory=dict[str, int])
    """The number of messages before each event, by the event's id, in order."""
    usages: dict[tuple[str, str], Tokens] = field(default_factory=dict[tuple[str, str], Tokens])
    """The last usage of each process and model."""


def is_event(record: Fields) -> bool:
    """Return whether a record is an event of a session."""
    return isinstance(record.get("data"), dict) and get_text(record, "type") in {_BEGIN, *_SPOKEN}


def read_events(source: SourceFile) -> drafts.Draft:
    """Return the session of a file, and report each event that could not be read."""
    reading = _CopilotReading(may_be_empty=True)
    for number, record in source.read_records():
        with source.catch_problems(number):
            _take_event(record, reading)
    if reading.usages:
        reading.tokens = sum_tokens(reading.usages.values())
    return reading


def _take_event(record: Fields, reading: _CopilotReading) -> None:
    before = len(reading.messages)
    kind, data = require_text(record, "type"), get_object(record, "data")
    reading.at = parse_moment(record.get("timestamp", record.get("ts")))
    if record.get("agentId") or data.get("parentToolCallId"):
        reading.leave_out("message of a helper", int(kind in _SPOKEN))
    elif kind in _READERS:
        _READERS[kind](data, reading)
    elif kind in _NOTICES:
        reading.add_spoken("program", get_text(data, _NOTICES[kind]))
    elif kind == "assistant.reasoning":
        reading.leave_out("reasoning")
    elif kind == "result":
        reading.identity = reading.identity or find_text(record, "sessionId")
    elif kind == _BEGIN:
        reading.identity = find_text(data, "sessionId")
        reading.created_at = parse_moment(data.get("startTime")) or reading.at
        reading.model = find_text(data, "selectedModel", "model")
        reading.project = drafts.find_folder_name(get_object(data, "context").get("cwd"))
    elif kind in {"session.resume", "session.model_change"}:
        reading.model = find_text(data, "newModel", "selectedModel") or reading.model
    elif kind == "session.title_changed":
        reading.title = find_text(data, "title") or reading.title
    elif kind == "system.message":
        reading.add("system", require_text(data, "content"))
    elif not kind.startswith(_STEERING):
        reading.leave_out(f"type {kind}")
    if name := find_text(record, "id"):
        reading.lengths[name] = min(before, len(reading.messages))


def _take_rewind(data: Fields, reading: _CopilotReading) -> None:
    """Remove the messages of an event and of all later events; do nothing for an unknown event.

    In older descriptions of the format, the event itself stays, so one event less is removed.
    """
    names = list(reading.lengths)
    name = get_text(data, "upToEventId")
    if name not in reading.lengths:
        return
    begin = names.index(name)
    if get_count(data, "eventsRemoved") == len(names) - begin - 1:
        begin += 1
    if begin < len(names):
        reading.take_back(reading.lengths[names[begin]])
    for removed in names[begin:]:
        del reading.lengths[removed]


def _take_end(data: Fields, reading: _CopilotReading) -> None:
    """Set the usage of a process; its input includes cached input."""
    process: object = data.get("sessionStartTime", len(reading.usages))
    for model, metrics in get_object(data, "modelMetrics").items():
        usage = get_object(as_fields(metrics), "usage")
        reading.usages[str(process), model] = Tokens(
            input=get_count(usage, "inputTokens"),
            cached_input=get_count(usage, "cacheReadTokens"),
            output=get_count(usage, "outputTokens"),
            reasoning=get_count(usage, "reasoningTokens"),
        )


def _take_request(data: Fields, reading: _CopilotReading) -> None:
    text = require_text(data, "content")
    marks: list[str] = []
    for attachment in list_objects(data.get("attachments")):
        kind = get_text(attachment, "mimeType", "type").partition("/")[0]
        name = find_text(attachment, "displayName", "name")
        marks.append(reading.mark_file(name, is_image=kind == "image"))
    by_program = (
        text.startswith(_INJECTED)
        or data.get("isAutopilotContinuation") is True
        or get_text(data, "source") not in {"", "user"}  # in most requests of people it is missing
    )
    speaker = "program" if by_program else "user"
    reading.add(speaker, "\n".join([text, *marks]))


def _take_answer(data: Fields, reading: _CopilotReading) -> None:
    reading.leave_out("reasoning", int(bool(data.get("reasoningText"))))
    calls = [
        reading.read_call(call, "arguments", "toolCallId")
        for call in list_objects(data.get("toolRequests"))
    ]
    reading.calls |= {call.id for call in calls}
    text = get_text(data, "content")
    if not text.strip() and not calls:
        reading.leave_out("empty message")
        return
    reading.add(
        "assistant",
        text,
        calls=calls,
        model=find_text(data, "model") or reading.model,
        tokens=TokenReport(output=get_count(data, "outputTokens")).as_tokens(),
    )


def _take_event_call(data: Fields, reading: _CopilotReading) -> None:
    """Read the beginning of a call; in most cases, an answer had the call before."""
    if get_text(data, "toolCallId") not in reading.calls | reading.by_person:
        call = reading.call(
            require_text(data, "toolName"), data.get("arguments"), data.get("toolCallId")
        )
        reading.calls.add(call.id)
        reading.add("assistant", "", calls=[call])


def _take_own_call(data: Fields, reading: _CopilotReading) -> None:
    """Read a call that a person made, such as a command of the shell, as a text of the program."""
    reading.by_person.add(get_text(data, "toolCallId"))
    arguments = drafts.format_arguments(data.get("arguments"))
    reading.add("program", f"{get_text(data, 'toolName')} {arguments}")


def _take_result(data: Fields, reading: _CopilotReading) -> None:
    result: object = data.get("result")
    text = find_text(as_fields(result), "content")
    if text is None:
        failed = find_text(get_object(data, "error"), "message")
        text = drafts.format_value(result) if result else failed or ""
    call_id = find_text(data, "toolCallId")
    if call_id in reading.by_person:
        reading.add("program", text)
    else:
        reading.add_result(text, call_id=call_id, name=data.get("toolName"))


_READERS: Mapping[str, Callable[[Fields, _CopilotReading], None]] = {
    "session.snapshot_rewind": _take_rewind,
    "session.shutdown": _take_end,
    "tool.user_requested": _take_own_call,
    "user.message": _take_request,
    "assistant.message": _take_answer,
    "tool.execution_start": _take_event_call,
    "tool.execution_complete": _take_result,
}
"""The readers of events that need more than a line, by type."""
