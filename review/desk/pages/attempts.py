"""The way from the page of an attempt to its session, which may have to be made first."""

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from records.errors import MissingRecordError, RecordsError
from review.desk.desk import ROOT, Desk, render_page
from review.desk.guard import FormFields
from review.desk.pages.session_view import link_to_session
from review.errors import ReviewError
from review.from_runs import make_attempt_session_id
from review.selection import SessionSelection


def render_attempt_page(desk: Desk, run_id: str, evaluation: str, sample: int) -> Response:
    """Redirect to the session of an attempt; if there is none, offer to make those of its run."""
    identity = make_attempt_session_id(run_id, evaluation, sample)
    try:
        desk.labels.show(identity, desk.reviewer, whole=False)
    except MissingRecordError:
        return render_page(
            desk,
            "attempt.html",
            title=evaluation,
            run_id=run_id,
            here=f"{ROOT}attempts/{run_id}/{evaluation}/{sample}",
            possible=desk.make_sessions is not None,
        )
    return RedirectResponse(link_to_session(identity, SessionSelection(), blind=False), 303)


def make_sessions(desk: Desk, run_id: str, evaluation: str, sample: int, _: FormFields) -> Response:
    """Make the sessions of a run, and redirect to the session of this attempt."""
    if desk.make_sessions is None:
        raise HTTPException(404, "sessions of runs are not made here")
    try:
        summary = desk.make_sessions(run_id)
    except (RecordsError, ReviewError) as error:
        raise HTTPException(404, str(error)) from error
    identity = make_attempt_session_id(run_id, evaluation, sample)
    try:
        desk.labels.show(identity, desk.reviewer, whole=False)
    except MissingRecordError as error:
        reason = f"{summary}; this attempt has no verdict or no answer, or no model was asked"
        raise HTTPException(404, reason) from error
    return RedirectResponse(link_to_session(identity, SessionSelection(), blind=False), 303)
