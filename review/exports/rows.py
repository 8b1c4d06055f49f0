"""Rows that all formats start from: a session as it may leave the machine, or a reason not to."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from records.session import Session, SessionMessage, ToolCall
from review.redaction import redacted, redacted_prompt
from review.turns import Turn, ground_truth, turns

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How sessions are exported, the same in every format."""

    redact: bool = True
    """Whether keys, addresses and home folders are taken out of every text."""
    system_prompts: bool = True
    """Whether system messages are part of a conversation."""
    text_only: bool = False
    """Whether calls of tools and their results are left out."""
    parts: Literal["turns", "last", "whole"] = "turns"
    """For formats of one request and one answer: each turn, or the judged one of a session; whole
    sessions are given by formats of conversations, whatever stands here."""


@dataclass(frozen=True, slots=True)
class SessionRows:
    """What a session becomes in a format."""

    rows: Sequence[Row]
    skipped: Sequence[str] = ()
    """Why turns, or the session, are not among the rows: one reason each."""


def prepared(session: Session, options: ExportOptions) -> Session:
    """Return a session as it may leave the machine: with the options applied to every text.

    Messages of a program stay behind.
    """
    messages = [
        _prepared_message(one, options)
        for one in session.messages
        if one.role != "program"
        and (options.system_prompts or one.role != "system")
        and not (options.text_only and (one.role == "tool" or _only_calls(one)))
    ]
    clean = redacted if options.redact else str
    expected = session.expected_output
    return session.model_copy(
        update={
            "title": clean(session.title),
            "project": session.project and clean(session.project),
            "messages": tuple(messages),
            "eval_notes": clean(session.eval_notes),
            "eval_tags": tuple(clean(tag) for tag in session.eval_tags),
            "expected_output": expected and clean(expected),
        }
    )


def chosen_turns(session: Session, options: ExportOptions) -> tuple[list[Turn], list[str]]:
    """Return the turns to export, and for each other one why it is not."""
    usable: list[Turn] = []
    reasons: list[str] = []
    for turn in turns(session):
        if options.parts == "last" and not turn.is_judged:
            continue
        if not turn.asked.strip():
            reasons.append("the request is empty")
        elif not turn.answer and ground_truth(session, turn) is None:
            reasons.append("the request was never answered")
        else:
            usable.append(turn)
    return usable, reasons if usable or reasons else ["it holds no request of a user"]


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call as an object; what is none stands below ``text``."""
    try:
        found: object = json.loads(call.arguments)
    except (ValueError, RecursionError):
        found = None
    return dict(found) if isinstance(found, dict) else {"text": call.arguments}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def chat_message(message: SessionMessage) -> dict[str, Any]:
    """Return a message in the shape of OpenAI's chat API."""
    found: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        found["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        found["tool_call_id"] = message.tool_call_id
    return found


def facts(session: Session) -> dict[str, Any]:
    """Return what is said of a session beside its text; reviewers are never named."""
    day = session.created_at
    reviewed = session.reviewed_at
    return {
        "session": session.id,
        "title": session.title,
        "model": session.model,
        "status": session.eval_status.value,
        "tags": list(session.eval_tags),
        "notes": session.eval_notes,
        "created_at": day.isoformat() if day else None,
        "reviewed_at": reviewed.isoformat() if reviewed else None,
    }


def _prepared_message(message: SessionMessage, options: ExportOptions) -> SessionMessage:
    clean = redacted if options.redact else str
    if options.redact and message.role in {"system", "user"}:
        clean = redacted_prompt
    calls = () if options.text_only else message.tool_calls
    return message.model_copy(
        update={
            "text": clean(message.text),
            "tool_calls": tuple(
                call.model_copy(update={"arguments": clean(call.arguments)}) for call in calls
            ),
        }
    )


def _only_calls(message: SessionMessage) -> bool:
    return message.role == "assistant" and not message.text.strip()
