"""Rows of dataset platforms: Braintrust, LangSmith and Langfuse."""

import uuid

from review.exports.prepared import ExportedSession
from review.exports.rows import ExportedTurn, Row, build_facts, make_prompt_messages, make_turn_id


def build_braintrust_row(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return ``{id, input, expected, metadata, tags}`` for a turn."""
    return {
        "id": make_turn_id(session.session, turn),
        "input": make_prompt_messages(session.list_messages_before(turn), turn),
        "expected": turn.truth,
        "metadata": build_facts(session.session, turn),
        "tags": list(session.session.eval_tags),
    }


def build_langsmith_row(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return ``{id, inputs, reference_outputs, metadata}`` for a turn."""
    return {
        "id": _make_id_in_dataset(session, turn),
        "inputs": {"messages": make_prompt_messages(session.list_messages_before(turn), turn)},
        "reference_outputs": {"answer": turn.truth},
        "metadata": build_facts(session.session, turn),
    }


def build_langfuse_row(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return ``{id, input, expected_output, metadata}`` for a turn."""
    return {
        "id": _make_id_in_dataset(session, turn),
        "input": make_prompt_messages(session.list_messages_before(turn), turn),
        "expected_output": turn.truth,
        "metadata": build_facts(session.session, turn),
    }


def _make_id_in_dataset(session: ExportedSession, turn: ExportedTurn) -> str:
    """Return a UUID that depends only on the turn and on the name of the dataset.

    Both platforms refuse an id that another dataset has.
    """
    dataset = uuid.uuid5(uuid.NAMESPACE_URL, session.options.dataset)
    return str(uuid.uuid5(dataset, make_turn_id(session.session, turn)))
