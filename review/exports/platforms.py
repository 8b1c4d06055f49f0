"""Rows of dataset platforms: Braintrust, LangSmith and Langfuse."""

import uuid

from review.exports.prepared import ExportedSession
from review.exports.rows import ExportedTurn, Row, facts, make_prompt_messages, turn_id


def braintrust(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return ``{id, input, expected, metadata, tags}`` for a turn."""
    return {
        "id": turn_id(session.session, turn),
        "input": make_prompt_messages(session.messages_before(turn), turn),
        "expected": turn.truth,
        "metadata": facts(session.session, turn),
        "tags": list(session.session.eval_tags),
    }


def langsmith(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return ``{id, inputs, reference_outputs, metadata}`` for a turn."""
    return {
        "id": _id_in_dataset(session, turn),
        "inputs": {"messages": make_prompt_messages(session.messages_before(turn), turn)},
        "reference_outputs": {"answer": turn.truth},
        "metadata": facts(session.session, turn),
    }


def langfuse(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return ``{id, input, expected_output, metadata}`` for a turn."""
    return {
        "id": _id_in_dataset(session, turn),
        "input": make_prompt_messages(session.messages_before(turn), turn),
        "expected_output": turn.truth,
        "metadata": facts(session.session, turn),
    }


def _id_in_dataset(session: ExportedSession, turn: ExportedTurn) -> str:
    """Return a UUID that depends only on the turn and on the name of the dataset.

    Both platforms refuse an id that another dataset has.
    """
    dataset = uuid.uuid5(uuid.NAMESPACE_URL, session.options.dataset)
    return str(uuid.uuid5(dataset, turn_id(session.session, turn)))
