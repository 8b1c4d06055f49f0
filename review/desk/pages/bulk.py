"""Changes of many sessions: their pages, and the forms that begin, continue and undo them."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from review.bulk_changes import BulkChange
from review.desk.desk import ROOT, Desk, render_page
from review.desk.guard import FormFields
from review.errors import BulkInUseError

_FEW: Final = 200
"""Number of sessions; the answer waits for a change of at most so many sessions."""
_SOON_S: Final = 1
"""Seconds for which the answer waits for a larger change."""
_PROBLEMS: Final = 50
"""The most problems in the list of a page."""


def start_change(desk: Desk, change: BulkChange) -> Response:
    """Start a change, and return its result, or redirect to the page of its progress."""
    thread = desk.bulk.start(change)
    thread.join(None if change.total <= _FEW else _SOON_S)
    if thread.is_alive():
        return RedirectResponse(f"{ROOT}many/{change.key}", 303)
    return render_change_page(desk, change.key)


def render_change_page(desk: Desk, key: str) -> Response:
    """Return the page of a change: its progress, a form to continue it, or its result."""
    change = _find_change(desk, key, 404)
    is_running, remaining = desk.bulk.is_running(change), len(change.remaining)
    response = render_page(
        desk,
        "changed.html",
        title=_describe_change(change, is_running=is_running, remaining=remaining),
        key=key,
        is_running=is_running,
        is_interrupted=bool(remaining) and not is_running,
        is_taken_back=change.is_taken_back,
        done=change.total - remaining,
        total=change.total,
        same=0 if change.is_taken_back else change.same,
        problems=[*(change.left if change.is_taken_back else change.refused).values()],
        most_problems=_PROBLEMS,
        can_undo=bool(change.written) and not change.is_taken_back and not is_running,
        back=change.start.back if change.start.back.startswith(ROOT) else ROOT,
    )
    if is_running:
        response.headers["Refresh"] = "1"
    return response


def go_on(desk: Desk, fields: FormFields) -> Response:
    """Continue a change that was interrupted."""
    return start_change(desk, _find_change(desk, fields.read_value("bulk") or "", 409))


def undo_many(desk: Desk, fields: FormFields) -> Response:
    """Take back a change of many sessions. Sessions that changed since stay, and are listed.

    Raises:
        HTTPException: 409, there is no such change, it is still going on, or it was taken back.
    """
    change = _find_change(desk, fields.read_value("bulk") or "", 409)
    if change.is_taken_back and not change.remaining:
        raise HTTPException(409, "this change was taken back already")
    try:
        change.begin_to_take_back(desk.reviewer)
    except BulkInUseError as error:
        raise HTTPException(409, str(error)) from error
    return start_change(desk, change)


def _find_change(desk: Desk, key: str, status: int) -> BulkChange:
    change = desk.bulk.find(key)
    if change is None:
        raise HTTPException(
            status,
            "this change is not known any more: only the latest ones are kept. Each session has an "
            "undo of its own",
        )
    return change


def _describe_change(change: BulkChange, *, is_running: bool, remaining: int) -> str:
    done = change.total - remaining
    if is_running:
        verb = "are taken back" if change.is_taken_back else "are changed"
        return f"{done:,} of {_format_sessions(change.total)} {verb}"
    if remaining:
        return f"A change of {_format_sessions(change.total)} was interrupted"
    if change.is_taken_back:
        undone = len(change.undone)
        return f"{_format_sessions(undone)} {'is' if undone == 1 else 'are'} as before"
    return f"{_format_sessions(len(change.written))} changed"


def _format_sessions(number: int) -> str:
    return f"{number:,} session{'' if number == 1 else 's'}"
