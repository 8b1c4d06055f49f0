"""DeepEval: test cases, one object for each turn, in a JSON array.

Loads with `EvaluationDataset.add_test_cases_from_json_file` and `add_goldens_from_json_file`.
"""

from review.exports.prepared import ExportedSession
from review.exports.rows import ExportedTurn, Row, arguments_of, facts


def test_case(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return the test case of a turn; the recorded answer is null where it has no text."""
    record = session.session
    return {
        "input": turn.turn.asked,
        "actual_output": turn.turn.answer or None,
        "expected_output": turn.truth,
        "context": session.texts_before(turn),
        "retrieval_context": [],
        "tools_called": [
            {"name": call.name, "input_parameters": arguments_of(call)} for call in turn.turn.calls
        ],
        "name": record.title,
        "comments": turn.notes or None,
        "source_file": record.id,
        "additional_metadata": facts(record, turn),
    }


def golden(session: ExportedSession) -> Row:
    """Return the whole conversation as one multi-turn golden."""
    record = session.session
    return {
        "scenario": record.title,
        "turns": [
            {"role": message.role, "content": message.text}
            for message in record.messages
            if message.role in {"user", "assistant"} and message.text.strip()
        ],
        "expected_outcome": session.expected,
        "name": record.id,
        "comments": record.eval_notes or None,
        "additional_metadata": {**facts(record), "turn_labels": session.turn_labels},
    }


def no_golden(session: ExportedSession) -> str | None:
    """Return why a conversation is no golden; null where it is a golden."""
    spoken = any(
        message.role in {"user", "assistant"} and message.text.strip()
        for message in session.session.messages
    )
    return None if spoken else "it holds no text of a user or an assistant"
