"""Sessions of Gemini CLI: ``chats/session-*.jsonl``, the older ``.json``, and saved checkpoints.

A line of JSONL is a message, which a later line with the same id replaces. A line with ``$set``
changes facts of the session, or its messages after a compression. ``$rewindTo`` removes messages.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_fields,
    as_items,
    count_items,
    find_text,
    get_count,
    get_object,
    get_text,
    list_objects,
    parse_moment,
    require_list,
    require_object,
    require_text,
)
from records.sessions.session import ToolCall
from records.shapes.attempt import Tokens
from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import SourceFile

NAME = "gemini_cli"
_COMMAND = re.compile(r"[/?][a-z][a-z-]*(?:\s|$)")
"""A command for the program, such as ``/stats``; a path has a slash after the first word."""
_INJECTED = (
    *("<state_snapshot>", "<session_context>", "<hook_context>", "System: Please continue."),
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "I ran the following shell command:\n",
)
"""Beginnings of texts that the program writes as the user."""
_ACKNOWLEDGED = frozenset(
    {"Got it. Thanks for the additional context!", "Got it. Thanks for the context!"}
)
"""The answers that the program writes to such a text."""
_REFERENCED = re.compile(r"^--- Content from referenced files ---$", re.MULTILINE)
"""The line above the files that the program adds to a request."""
_ROLES = frozenset({"user", "model"})


@dataclass
class _Recording(Draft):
    """A session so far."""

    facts: dict[str, Any] = field(default_factory=dict[str, Any])
    records: dict[str, Fields] = field(default_factory=dict[str, Fields])
    """The records of messages by id, in order."""


def recognises(source: SourceFile) -> bool:
    """Return whether the file has a session or a checkpoint of Gemini CLI."""
    return any(
        _is_session(record) or _is_content(record) or _find_history(record)
        for record in source.head
    )


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield each session of a file, and report each part that could not be read."""
    recordings: list[_Recording] = []
    checkpoint: list[Fields] = []
    for number, record in source.read_records():
        if _is_content(record):
            checkpoint.append(record)
        else:
            with source.catch_problems(number):
                _take(record, number, recordings)
    if checkpoint:
        yield _read_checkpoint(checkpoint, 1)
    for recording in recordings:
        if recording.facts.get("kind") == "subagent":
            source.report_sub_agent(recording.place, None)
        else:
            facts = recording.facts
            recording.may_be_empty = True
            recording.identity = find_text(facts, "sessionId")
            recording.title = find_text(facts, "summary")
            recording.created_at = parse_moment(facts.get("startTime"))
            for key, message in recording.records.items():
                with recording.catch_problems(f"message {key}"):
                    _add_message(message, recording)
            yield recording


def _is_session(record: Fields) -> bool:
    if "projectHash" in record and "sessionId" in record:
        return True
    messages = list_objects(record.get("messages"))
    return "sessionId" in record and any(message.get("type") == "gemini" for message in messages)


def _find_history(record: Fields) -> list[object]:
    """Return the contents of a checkpoint; none if the record is not a checkpoint."""
    history = as_items(record.get("history"))
    return history if any(map(_is_content, list_objects(history))) else []


def _is_content(record: Fields) -> bool:
    return get_text(record, "role") in _ROLES and isinstance(record.get("parts"), list)


def _take(record: Fields, number: int, recordings: list[_Recording]) -> None:
    """Read a record of a session.

    Raises:
        UnknownShapeError: the record is of no known kind, or the session has no beginning.
    """
    if history := _find_history(record):
        recordings.append(_read_checkpoint(history, number))
    elif "sessionId" in record and ("projectHash" in record or "messages" in record):
        if not recordings or recordings[-1].facts.get("sessionId") != record["sessionId"]:
            recordings.append(_Recording(place=number))
        _set(record, number, recordings[-1])
    elif not recordings:
        raise UnknownShapeError("is before the beginning of a session")
    elif isinstance(record.get("$rewindTo"), str):
        key = record["$rewindTo"]
        recording = recordings[-1]
        keys = list(recording.records)
        rewound = keys[keys.index(key) :] if key in recording.records else keys
        for taken_key in rewound:
            del recording.records[taken_key]
        recording.leave_out("message taken back", len(rewound))
    elif isinstance(record.get("$set"), dict):
        _set(record["$set"], number, recordings[-1])
    elif isinstance(record.get("id"), str):
        recordings[-1].records[record["id"]] = record
    else:
        raise UnknownShapeError("is neither a message nor a change of the session")


def _set(facts: Fields, number: int, recording: _Recording) -> None:
    """Set facts of a session, and add its messages; earlier messages of the session stay."""
    recording.facts |= {name: value for name, value in facts.items() if name != "messages"}
    for index, message in enumerate(require_list(facts.get("messages") or [], "messages"), 1):
        if fields := as_fields(message):
            key = find_text(fields, "id") or f"{number}/{index}"
            recording.records.setdefault(key, fields)
        else:
            recording.problems.append(f"message {index} is no object")


def _add_message(message: Fields, draft: Draft) -> None:
    kind = require_text(message, "type")
    draft.at = parse_moment(message.get("timestamp"))
    content = read_parts(message.get("content"), draft)
    if kind in {"info", "error", "warning"}:
        draft.add("program", content.text)
    elif kind == "user":
        for result, response in content.responses:
            if draft.waits_for(response.get("id")):
                draft.add_result(result, call_id=response.get("id"), name=response.get("name"))
            else:
                draft.leave_out("repeated result")
        if content.text.strip():
            _add_request(content.text, draft)
        elif not content.responses:
            draft.leave_out("empty message")
    elif kind == "gemini":
        if content.text.strip() in _ACKNOWLEDGED:
            draft.add("program", content.text)
        else:
            _add_answer(message, content.text, draft)
    else:
        draft.leave_out(f"type {kind}")


def _add_request(text: str, draft: Draft) -> None:
    """Append a request, and after it the files that the program added to it."""
    words = text.strip()
    if words.startswith(_INJECTED) or _COMMAND.match(words) is not None:
        draft.add("program", text)
        return
    added = _REFERENCED.search(text)
    typed = text if added is None else text[: added.start()]
    draft.add_spoken("user", typed if added is None else typed.rstrip("\n"))
    if added is not None:
        draft.add("program", text[added.start() :])


def _add_answer(message: Fields, text: str, draft: Draft) -> None:
    listed = require_list(message.get("toolCalls") or [], "calls")
    calls = [require_object(call, "a call") for call in listed]
    draft.leave_out("reasoning", count_items(message, "thoughts"))
    if not text.strip() and not calls:
        draft.leave_out("empty message")
        return
    made = [draft.read_call(call, "args") for call in calls]
    draft.add(
        "assistant",
        text,
        calls=made,
        model=find_text(message, "model"),
        tokens=_read_usage(get_object(message, "tokens")),
    )
    for fields, call in zip(calls, made, strict=True):
        if fields.get("result") is not None:
            # The texts of responses come before the other parts of a result.
            parts = read_parts(fields["result"], draft)
            draft.at = parse_moment(fields.get("timestamp"))
            responses = (text for text, _ in parts.responses)
            draft.add_result("\n".join([*responses, *parts.texts]), call_id=call.id)


def _read_usage(fields: Fields) -> Tokens | None:
    """Return the usage of an answer.

    The source counts thoughts apart from output, and prompts of tools apart from input.
    """
    thoughts, output = get_count(fields, "thoughts"), get_count(fields, "output")
    prompt, tool = get_count(fields, "input"), get_count(fields, "tool")
    if prompt is None and output is None:
        return None
    return Tokens(
        input=None if prompt is None else prompt + (tool or 0),
        cached_input=get_count(fields, "cached"),
        output=None if output is None else output + (thoughts or 0),
        reasoning=thoughts,
    )


def _read_checkpoint(history: list[Fields] | list[object], record_number: int) -> _Recording:
    """Return the conversation of a checkpoint, which has contents of the Gemini API."""
    draft = _Recording(place=record_number)
    for number, item in enumerate(history, 1):
        with draft.catch_problems(f"message {number}"):
            fields = require_object(item, "it")
            role = require_text(fields, "role")
            content = read_parts(require_list(fields.get("parts"), "parts"), draft)
            for result, response in content.responses:
                draft.add_result(result, call_id=response.get("id"), name=response.get("name"))
            if role not in _ROLES:
                draft.leave_out(f"role {role}")
            elif role == "model":
                is_program = content.text.strip() in _ACKNOWLEDGED
                speaker = "program" if is_program else "assistant"
                draft.add_spoken(speaker, content.text, calls=content.calls)
            elif content.text.strip():
                _add_request(content.text, draft)
            if not (content.text.strip() or content.calls or content.responses):
                draft.leave_out("empty message")
    return draft


@dataclass
class ReadParts:
    """The parts of a message."""

    texts: list[str] = field(default_factory=list[str])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    responses: list[tuple[str, Fields]] = field(default_factory=list[tuple[str, Fields]])
    """The text of the response of each function, and the response."""

    @property
    def text(self) -> str:
        """All texts, and marks of parts that are not kept, in order."""
        return "\n".join(text for text in self.texts if text)


def read_parts(content: object, draft: Draft) -> ReadParts:
    """Return the parts of a content, which is a text, a part, or a list of both.

    Raises:
        UnknownShapeError: the content is something else, or a call has no name.
    """
    parts = ReadParts()
    for part in as_items(content) or [content]:
        if isinstance(part, str):
            parts.texts.append(part)
        elif fields := as_fields(part):
            call = get_object(fields, "functionCall")
            response = get_object(fields, "functionResponse")
            if fields.get("thought") is True:
                draft.leave_out("reasoning")
            elif isinstance(fields.get("text"), str):
                parts.texts.append(fields["text"])
            elif call:
                parts.calls.append(draft.read_call(call, "args"))
            elif response:
                parts.responses.append((_read_response_text(response, draft), response))
            else:
                parts.texts.append(_read_other_text(fields, draft))
        elif part and part is content:
            raise UnknownShapeError("content is neither a text nor parts")
        elif part:
            parts.texts.append(draft.mark("part without a type"))
    return parts


def _read_response_text(response: Fields, draft: Draft) -> str:
    """Return the output or the error of a response, or else the whole response as JSON."""
    fields = get_object(response, "response")
    text = find_text(fields, "output", "error", "result", "content")
    if text is None:
        text = json.dumps(fields, ensure_ascii=False) if fields else ""
    marks = read_parts(as_items(response.get("parts")), draft).texts
    return "\n".join(part for part in (text, *marks) if part)


def _read_other_text(part: Fields, draft: Draft) -> str:
    for name in ("inlineData", "fileData"):
        if name in part:
            kind = str(get_object(part, name).get("mimeType", "")).partition("/")[0]
            return draft.mark(kind if kind in {"image", "audio", "video"} else "file")
    for name in ("executableCode", "codeExecutionResult"):
        if text := find_text(get_object(part, name), "code", "output"):
            return text
    return draft.mark(next(iter(part), "part without a type"))
