"""DeepEval: test cases, one object for each turn, in a JSON array.

Loads with `EvaluationDataset.add_test_cases_from_json_file` and `add_goldens_from_json_file`.
"""

from typing import Any

from records.session import Session
from review.exports.rows import ExportOptions, SessionRows, arguments_of, chosen_turns, facts
from review.turns import ground_truth

_IMAGE = "[DEEPEVAL:IMAGE:"
_UNSEEN = "\u200b"


def rows(session: Session, options: ExportOptions) -> SessionRows:
    """Return a test case for each turn."""
    chosen, skipped = chosen_turns(session, options)
    cases: list[dict[str, Any]] = [
        {
            "input": _inert(turn.asked),
            "actual_output": _inert(turn.answer),
            "expected_output": _inert_or_none(ground_truth(session, turn)),
            "context": [_inert(one.text) for one in session.messages[: turn.start]],
            "retrieval_context": [],
            "tools_called": [
                {"name": call.name, "input_parameters": arguments_of(call)} for call in turn.calls
            ],
            "name": _inert(session.title),
            "comments": _inert(session.eval_notes) or None,
            "source_file": session.id,
            "additional_metadata": facts(session),
        }
        for turn in chosen
    ]
    return SessionRows(cases, skipped)


def goldens(session: Session, options: ExportOptions) -> SessionRows:
    """Return the whole conversation as one multi-turn golden."""
    del options
    spoken = [
        {"role": one.role, "content": _inert(one.text)}
        for one in session.messages
        if one.role in {"user", "assistant"} and one.text.strip()
    ]
    if not spoken:
        return SessionRows([], ["it holds no text of a user or an assistant"])
    golden = {
        "scenario": _inert(session.title),
        "turns": spoken,
        "expected_outcome": _inert_or_none(session.expected_output),
        "name": session.id,
        "comments": _inert(session.eval_notes) or None,
        "additional_metadata": facts(session),
    }
    return SessionRows([golden])


def _inert(text: str) -> str:
    """Break the marker by which DeepEval opens a local file as an image."""
    return text.replace(_IMAGE, _IMAGE[:9] + _UNSEEN + _IMAGE[9:])


def _inert_or_none(text: str | None) -> str | None:
    return None if text is None else _inert(text)
