"""Parts of rows that several formats share, and the options of an export."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from records.sessions.session import EvalStatus, Session, SessionMessage, ToolCall
from review.turns import Turn

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How sessions are exported, the same in every format."""

    redact: bool = True
    """True if keys, addresses and home folders are taken out of every text."""
    system_prompts: bool = True
    """True if system messages are part of a conversation."""
    text_only: bool = False
    """True if calls of tools and their results are left out."""
    parts: Literal["turns", "last"] = "turns"
    """For formats of one request and one answer: each turn, or the judged one of a session."""
    context: int | None = None
    """For these formats: the most messages before the request; null for all."""
    limit: int | None = None
    """The most rows; null for all."""
    dataset: str = ""
    """The name of the dataset, by which ids differ where two datasets may not share them."""


@dataclass(frozen=True, slots=True)
class ExportedTurn:
    """A turn as it may leave the machine, with the labels that count for it."""

    turn: Turn
    status: EvalStatus
    """Its own status, else that of the session."""
    notes: str
    """Its own notes, else those of the session."""
    expected: str | None
    """The expected output that a person or a reference gave; null where there is none."""
    truth: str | None
    """The right answer: the expected output, else an answer that somebody approved."""


def context_of(value: str) -> int | None:
    """Return the most messages before a request that ``value`` names; null for all.

    Raises:
        ValueError: it is neither ``all``, nor ``none``, nor a number.
    """
    if value == "all":
        return None
    if value == "none":
        return 0
    if re.fullmatch(r"[0-9]{1,6}", value):
        return int(value)
    raise ValueError("must be all, none or a number of messages")


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call as an object; anything else stands below ``text``."""
    try:
        arguments: object = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = None
    return dict(arguments) if isinstance(arguments, dict) else {"text": call.arguments}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def chat_message(message: SessionMessage) -> dict[str, Any]:
    """Return a message in the shape of OpenAI's chat API."""
    shape: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        shape["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        shape["tool_call_id"] = message.tool_call_id
    return shape


def facts(session: Session, turn: ExportedTurn | None = None) -> dict[str, Any]:
    """Return the facts of a session beside its text, with the labels that count for ``turn``.

    Reviewers are never named.
    """
    day = session.created_at
    reviewed = session.reviewed_at
    return {
        "session": session.id,
        "title": session.title,
        "model": session.model,
        "status": (turn.status if turn else session.eval_status).value,
        "tags": list(session.eval_tags),
        "notes": turn.notes if turn else session.eval_notes,
        "created_at": day.isoformat() if day else None,
        "reviewed_at": reviewed.isoformat() if reviewed else None,
    }


def unusable(turn: ExportedTurn) -> str | None:
    """Return why a turn is no row of a request and its answer; else null.

    A turn without an answer is a row where its right answer is known.
    """
    if not turn.turn.asked.strip():
        return "the request is empty"
    if not turn.turn.is_answered and turn.truth is None:
        return "the request was never answered"
    return None


def requested(before: Sequence[SessionMessage], turn: ExportedTurn) -> list[dict[str, Any]]:
    """Return the chat that asks for the answer of a turn."""
    return [*map(chat_message, before), {"role": "user", "content": turn.turn.asked}]


def turn_id(session: Session, turn: ExportedTurn) -> str:
    """Return the name of a turn among all: the session's id stands for the judged turn."""
    return session.id if turn.turn.is_judged else f"{session.id}-{turn.turn.number}"
