"""Rows for DeepEval: a test case for each turn, or a multi-turn golden for each session.

DeepEval loads them by `EvaluationDataset.add_test_cases_from_json_file` and
`add_goldens_from_json_file`.
"""

from review.exports.prepared import ExportedSession
from review.exports.rows import ExportedTurn, Row, build_facts, parse_arguments


def build_test_case(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return the test case of a turn; `actual_output` is null if the answer has no text."""
    record = session.session
    return {
        "input": turn.turn.asked,
        "actual_output": turn.turn.answer or None,
        "expected_output": turn.truth,
        "context": session.list_texts_before(turn),
        "retrieval_context": [],
        "tools_called": [
            {"name": call.name, "input_parameters": parse_arguments(call)}
            for call in turn.turn.calls
        ],
        "name": record.title,
        "comments": turn.notes or None,
        "source_file": record.id,
        "additional_metadata": build_facts(record, turn),
    }


def build_golden(session: ExportedSession) -> Row:
    """Return a session as a multi-turn golden."""
    record = session.session
    return {
        "scenario": record.title,
        "turns": _list_spoken(session),
        "expected_outcome": session.expected,
        "name": record.id,
        "comments": record.eval_notes or None,
        "additional_metadata": {**build_facts(record), "turn_labels": session.turn_labels},
    }


def explain_missing_golden(session: ExportedSession) -> str | None:
    """Return why a session is not a golden; None if it is a golden."""
    return None if _list_spoken(session) else "it holds no text of a user or an assistant"


def _list_spoken(session: ExportedSession) -> list[Row]:
    """Return the messages of users and assistants that have a text."""
    return [
        {"role": message.role, "content": message.text}
        for message in session.session.messages
        if message.role in {"user", "assistant"} and message.text.strip()
    ]
