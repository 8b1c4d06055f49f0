"""Rows for Inspect: a dataset for `json_dataset`, and human scores for `inspect score`."""

from typing import Any, Final

from records.sessions.session import EvalStatus, SessionMessage
from review.exports.prepared import ExportedSession
from review.exports.rows import ExportedTurn, Row, build_facts, make_turn_id, parse_arguments

INSPECT: Final = "inspect"
"""The importer of Inspect's logs."""
_VALUES: Final = {EvalStatus.GOLDEN: "C", EvalStatus.CORRECT: "C", EvalStatus.INCORRECT: "I"}


def build_sample(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return a sample for a turn; the target is empty if the right answer is not known."""
    request = {"role": "user", "content": turn.turn.asked}
    return {
        "id": make_turn_id(session.session, turn),
        "input": [*map(_build_message, session.list_messages_before(turn)), request],
        "target": turn.truth or "",
        "metadata": build_facts(session.session, turn),
    }


def build_score(session: ExportedSession) -> Row:
    """Return the label of a session as a score of a sample in a log of Inspect.

    For a session that was imported from a log, this is its sample and epoch there. For any other
    session, it is the sample that `sample` returns for its judged turn.
    """
    record = session.session
    source = record.source
    imported = source if source.kind == "file" and source.importer == INSPECT else None
    shape: dict[str, Any] = {
        "id": imported.part if imported and imported.part is not None else record.id,
        "value": _VALUES[session.status],
        "explanation": session.notes or None,
        "metadata": {"status": session.status.value, "tags": list(record.eval_tags)},
    }
    if imported and imported.epoch is not None:
        shape["epoch"] = imported.epoch
    return shape


def explain_missing_score(session: ExportedSession) -> str | None:
    """Return why a session has no score; None if it has a score."""
    return None if session.status in _VALUES else "nobody judged it"


def _build_message(message: SessionMessage) -> dict[str, Any]:
    shape: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        shape["tool_calls"] = [
            {
                "id": call.id,
                "function": call.name,
                "arguments": parse_arguments(call),
                "type": "function",
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        shape["tool_call_id"] = message.tool_call_id
    return shape
