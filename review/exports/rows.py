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
    """The options of an export, which are the same for all formats."""

    redact: bool = True
    """True if keys, addresses and home folders are removed from all texts."""
    system_prompts: bool = True
    """True if system messages are part of a conversation."""
    text_only: bool = False
    """True if calls of tools and their results are left out."""
    parts: Literal["turns", "last"] = "turns"
    """For formats whose rows are turns: all turns, or only the judged turn of each session."""
    context: int | None = None
    """For formats whose rows are turns: the most messages before the request; None for all."""
    limit: int | None = None
    """The most rows; None for all."""
    dataset: str = ""
    """The name of the dataset. Some platforms need other ids in each dataset."""


@dataclass(frozen=True, slots=True)
class ExportedTurn:
    """A turn prepared for export, with its labels."""

    turn: Turn
    status: EvalStatus
    """The turn's own status, or else that of the session."""
    notes: str
    """The turn's own notes, or else those of the session."""
    expected: str | None
    """The expected output by a person or a reference; None if there is none."""
    truth: str | None
    """The right answer: the expected output, or else an answer with an approving status."""


def parse_context(value: str) -> int | None:
    """Return the most messages before a request, from an option's ``value``; None for all.

    Raises:
        ValueError: the value is neither ``all`` nor ``none`` nor a number.
    """
    if value == "all":
        return None
    if value == "none":
        return 0
    if re.fullmatch(r"[0-9]{1,6}", value):
        return int(value)
    raise ValueError("must be all, none or a number of messages")


def parse_arguments(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call as an object; other values are put below the key ``text``."""
    try:
        arguments: object = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = None
    return dict(arguments) if isinstance(arguments, dict) else {"text": call.arguments}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def make_chat_message(message: SessionMessage) -> dict[str, Any]:
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


def build_facts(session: Session, turn: ExportedTurn | None = None) -> dict[str, Any]:
    """Return the facts of a session apart from its messages, with the labels of ``turn``.

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


def explain_unusable(turn: ExportedTurn) -> str | None:
    """Return why a turn cannot be a row; None if it can.

    A turn without an answer can be a row if its right answer is known.
    """
    if not turn.turn.asked.strip():
        return "the request is empty"
    if not turn.turn.is_answered and turn.truth is None:
        return "the request was never answered"
    return None


def make_prompt_messages(
    before: Sequence[SessionMessage], turn: ExportedTurn
) -> list[dict[str, Any]]:
    """Return the chat before the answer of a turn: the messages ``before``, then its request."""
    return [*map(make_chat_message, before), {"role": "user", "content": turn.turn.asked}]


def make_turn_id(session: Session, turn: ExportedTurn) -> str:
    """Return an id of a turn among all sessions; for the judged turn, this is the session's id."""
    return session.id if turn.turn.is_judged else f"{session.id}-{turn.turn.number}"
