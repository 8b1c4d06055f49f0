"""Form for labels of single turns: status, notes and expected output of any answer."""

from collections.abc import Mapping

from pydantic import JsonValue
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from records.sessions.labels import LabelName
from review.desk.desk import ROOT, Desk
from review.desk.filters import STATUSES, format_query, parse_selection
from review.desk.guard import FormFields
from review.desk.pages.judging import normalize_line_ends, read_version
from review.desk.pages.session_view import link_to_blind_session
from review.desk.transcript import TranscriptParts
from review.errors import ChangedMeanwhileError
from review.turns import list_turns


def save_turn(desk: Desk, session_id: str, number: int, query: str, fields: FormFields) -> Response:
    """Write the labels of one turn, and redirect to its answer.

    Raises:
        HTTPException: 404, the turn has no answer; 412, the session was changed meanwhile.
    """
    chosen = parse_selection(query, also=("part", "find"))
    visible = desk.labels.show(session_id, desk.reviewer)
    if visible.is_blind:
        return RedirectResponse(link_to_blind_session(session_id), 303)
    answered = {turn.number: turn for turn in list_turns(visible.session) if turn.is_answered}
    turn = answered.get(number)
    if turn is None or turn.answer_place is None:
        raise HTTPException(404, "there is no such turn, or nobody answered it")
    present = visible.turns.get(number, {})
    try:
        saved = desk.labels.label(
            session_id,
            _read_changed_labels(present, fields),
            desk.reviewer,
            turn=number,
            version=read_version(fields),
        )
    except ChangedMeanwhileError as error:
        raise HTTPException(
            412, "somebody changed the session since it was shown: reload the page, and save again"
        ) from error
    if saved.events:
        desk.visits.remember(desk.reviewer, saved, blind=False)
    part = TranscriptParts.from_session(visible.session).find_part(turn.answer_place)
    address = f"{ROOT}sessions/{session_id}{format_query(chosen, part=part)}"
    return RedirectResponse(f"{address}#message-{turn.answer_place + 1}", 303)


def _read_changed_labels(
    present: Mapping[LabelName, JsonValue], fields: FormFields
) -> dict[LabelName, JsonValue]:
    """Return the labels of a form that differ from those present; a status always counts."""
    labels: dict[LabelName, JsonValue] = {}
    if (status := fields.read_choice("evalStatus", STATUSES)) is not None:
        labels["evalStatus"] = status
    if (notes := fields.read_value("evalNotes")) is not None and normalize_line_ends(notes) != (
        present.get("evalNotes") or ""
    ):
        labels["evalNotes"] = normalize_line_ends(notes)
    if (expected := fields.read_value("expectedOutput")) is not None and normalize_line_ends(
        expected
    ) != (present.get("expectedOutput") or ""):
        labels["expectedOutput"] = normalize_line_ends(expected) or None
    return labels
