"""Rows of dataset platforms: Braintrust, LangSmith and Langfuse."""

import uuid
from typing import Any

from records.session import Session
from review.exports.rows import ExportOptions, SessionRows, chat_message, chosen_turns, facts
from review.turns import Turn, ground_truth


def braintrust(session: Session, options: ExportOptions) -> SessionRows:
    """Return ``{id, input, expected, metadata, tags}`` for each turn."""
    chosen, skipped = chosen_turns(session, options)
    found = [
        {
            "id": _id(session, turn),
            "input": _asked(session, turn),
            "expected": ground_truth(session, turn),
            "metadata": facts(session),
            "tags": list(session.eval_tags),
        }
        for turn in chosen
    ]
    return SessionRows(found, skipped)


def langsmith(session: Session, options: ExportOptions) -> SessionRows:
    """Return ``{id, inputs, reference_outputs, metadata}`` for each turn; ids are UUIDs."""
    chosen, skipped = chosen_turns(session, options)
    found = [
        {
            "id": str(uuid.uuid5(uuid.NAMESPACE_URL, _id(session, turn))),
            "inputs": {"messages": _asked(session, turn)},
            "reference_outputs": {"answer": ground_truth(session, turn)},
            "metadata": facts(session),
        }
        for turn in chosen
    ]
    return SessionRows(found, skipped)


def langfuse(session: Session, options: ExportOptions) -> SessionRows:
    """Return ``{id, input, expected_output, metadata}`` for each turn."""
    chosen, skipped = chosen_turns(session, options)
    found = [
        {
            "id": _id(session, turn),
            "input": _asked(session, turn),
            "expected_output": ground_truth(session, turn),
            "metadata": facts(session),
        }
        for turn in chosen
    ]
    return SessionRows(found, skipped)


def _id(session: Session, turn: Turn) -> str:
    return session.id if turn.is_judged else f"{session.id}-{turn.number}"


def _asked(session: Session, turn: Turn) -> list[dict[str, Any]]:
    return [
        *map(chat_message, session.messages[: turn.start]),
        {"role": "user", "content": turn.asked},
    ]
