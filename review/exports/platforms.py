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
            "id": _id(session, place, turn),
            "input": _asked(turn),
            "expected": ground_truth(session, turn),
            "metadata": facts(session),
            "tags": list(session.eval_tags),
        }
        for place, turn in enumerate(chosen)
    ]
    return SessionRows(found, skipped)


def langsmith(session: Session, options: ExportOptions) -> SessionRows:
    """Return ``{id, inputs, reference_outputs, metadata}`` for each turn; ids are UUIDs."""
    chosen, skipped = chosen_turns(session, options)
    found = [
        {
            "id": str(uuid.uuid5(uuid.NAMESPACE_URL, _id(session, place, turn))),
            "inputs": {"messages": _asked(turn)},
            "reference_outputs": {"answer": ground_truth(session, turn)},
            "metadata": facts(session),
        }
        for place, turn in enumerate(chosen)
    ]
    return SessionRows(found, skipped)


def langfuse(session: Session, options: ExportOptions) -> SessionRows:
    """Return ``{id, input, expected_output, metadata}`` for each turn."""
    chosen, skipped = chosen_turns(session, options)
    found = [
        {
            "id": _id(session, place, turn),
            "input": _asked(turn),
            "expected_output": ground_truth(session, turn),
            "metadata": facts(session),
        }
        for place, turn in enumerate(chosen)
    ]
    return SessionRows(found, skipped)


def _id(session: Session, place: int, turn: Turn) -> str:
    return session.id if turn.is_last else f"{session.id}-{place + 1}"


def _asked(turn: Turn) -> list[dict[str, Any]]:
    return [*map(chat_message, turn.earlier), {"role": "user", "content": turn.asked}]
