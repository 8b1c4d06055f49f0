"""Sessions and messages as plain files: JSON for programs, text to copy."""

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from records.sessions.session import Session
from review.desk.desk import Desk
from review.desk.pages.judging import resolve_alias
from review.desk.pages.session_view import link_to_blind_session


def serve_raw_session(desk: Desk, session_id: str) -> Response:
    """Return a session with its labels as JSON; redirect a blind reviewer to the blind page."""
    visible = desk.labels.show(session_id, desk.reviewer)
    if visible.is_blind:
        return RedirectResponse(link_to_blind_session(session_id), 303)
    text = visible.session.model_dump_json(by_alias=True, indent=2)
    return Response(text, media_type="application/json; charset=utf-8")


def serve_message(desk: Desk, session_id: str, number: int) -> Response:
    """Return the text of a message by its number, from 1."""
    visible = desk.labels.show(session_id, desk.reviewer)
    if visible.is_blind:
        return RedirectResponse(f"{link_to_blind_session(session_id)}/messages/{number}", 303)
    return _serve_text(visible.session, number)


def serve_blind_message(desk: Desk, alias: str, number: int) -> Response:
    """Return the text of a message of a session that is shown blind."""
    visible = desk.labels.show(resolve_alias(desk, alias), desk.reviewer, blind=True)
    return _serve_text(visible.session, number)


def _serve_text(session: Session, number: int) -> Response:
    if not 1 <= number <= len(session.messages):
        raise HTTPException(404, "there is no such message")
    return PlainTextResponse(session.messages[number - 1].text)
