"""Inspect: a dataset for `json_dataset`, and human scores for `inspect score`."""

from typing import Any, Final

from records.session import EvalStatus, Session, SessionMessage
from review.exports.rows import ExportOptions, SessionRows, arguments_of, chosen_turns, facts
from review.turns import ground_truth

INSPECT: Final = "inspect"
"""The importer of Inspect's logs."""
_VALUES: Final = {EvalStatus.GOLDEN: "C", EvalStatus.CORRECT: "C", EvalStatus.INCORRECT: "I"}


def samples(session: Session, options: ExportOptions) -> SessionRows:
    """Return a sample for each turn; the target is empty where nobody knows the right answer."""
    chosen, skipped = chosen_turns(session, options)
    found = [
        {
            "id": session.id if turn.is_judged else f"{session.id}-{turn.number}",
            "input": [
                *map(_message, session.messages[: turn.start]),
                {"role": "user", "content": turn.asked},
            ],
            "target": ground_truth(session, turn) or "",
            "metadata": facts(session),
        }
        for turn in chosen
    ]
    return SessionRows(found, skipped)


def scores(session: Session, options: ExportOptions) -> SessionRows:
    """Return the label as a score of a sample of somebody's own log.

    Of a session that was imported from a log it is the sample and epoch it was there; of any other,
    the sample of the dataset that `samples` gives for its judged turn.
    """
    del options
    value = _VALUES.get(session.eval_status)
    if value is None:
        return SessionRows([], ["nobody judged it"])
    source = session.source
    imported = source if source.kind == "file" and source.importer == INSPECT else None
    score: dict[str, Any] = {
        "id": imported.part if imported and imported.part is not None else session.id,
        "value": value,
        "explanation": session.eval_notes or None,
        "metadata": {"status": session.eval_status.value, "tags": list(session.eval_tags)},
    }
    if imported and imported.epoch is not None:
        score["epoch"] = imported.epoch
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
