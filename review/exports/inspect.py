"""Inspect: a dataset for `json_dataset`, and human scores for `inspect score`."""

from typing import Any

from records.session import EvalStatus, Session, SessionMessage
from review.exports.rows import ExportOptions, SessionRows, arguments_of, chosen_turns, facts
from review.turns import ground_truth

_VALUES = {EvalStatus.GOLDEN: "C", EvalStatus.CORRECT: "C", EvalStatus.INCORRECT: "I"}


def samples(session: Session, options: ExportOptions) -> SessionRows:
    """Return a sample for each turn; the target is empty where nobody knows the right answer."""
    chosen, skipped = chosen_turns(session, options)
    found = [
        {
            "id": session.id if turn.is_last else f"{session.id}-{place + 1}",
            "input": [*map(_message, turn.earlier), {"role": "user", "content": turn.asked}],
            "target": ground_truth(session, turn) or "",
            "metadata": facts(session),
        }
        for place, turn in enumerate(chosen)
    ]
    return SessionRows(found, skipped)


def scores(session: Session, options: ExportOptions) -> SessionRows:
    """Return the label as a score of the sample of this id, for somebody's own log."""
    del options
    value = _VALUES.get(session.eval_status)
    if value is None:
        return SessionRows([], ["nobody judged it"])
    score = {
        "id": session.id,
        "value": value,
        "explanation": session.eval_notes or None,
        "metadata": {"status": session.eval_status.value, "tags": list(session.eval_tags)},
    }
    return SessionRows([score])


def _message(message: SessionMessage) -> dict[str, Any]:
    found: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        found["tool_calls"] = [
            {
                "id": call.id,
                "function": call.name,
                "arguments": arguments_of(call),
                "type": "function",
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        found["tool_call_id"] = message.tool_call_id
    return found
