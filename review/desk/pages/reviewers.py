"""The reviewer at a browser: the pseudonym in a cookie, or else that of `--reviewer`."""

import re
from typing import Final
from urllib.parse import quote, unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from records.files.name_patterns import PSEUDONYM
from review.desk.desk import ROOT, Desk
from review.desk.guard import FormFields

COOKIE: Final = "desk-reviewer"
_KEPT_S: Final = 365 * 24 * 3600


def find_desk(desk: Desk, request: Request) -> Desk:
    """Return the desk for the reviewer of a request; a cookie with a wrong value is ignored."""
    chosen = unquote(request.cookies.get(COOKIE, ""))
    return desk.copy_for_reviewer(chosen) if re.fullmatch(PSEUDONYM, chosen) else desk


def switch_reviewer(_: Desk, fields: FormFields) -> Response:
    """Write the pseudonym in a form to a cookie; without one, that of `--reviewer` is used.

    Raises:
        HTTPException: 400, the pseudonym is not valid in a label log.
    """
    name = (fields.read_value("reviewer") or "").strip()
    if name and not re.fullmatch(PSEUDONYM, name):
        raise HTTPException(
            400, "reviewer: may have 40 letters, digits, dots, hyphens and underscores"
        )
    back = fields.read_value("back") or ROOT
    answer = RedirectResponse(back if back.startswith(ROOT) else ROOT, 303)
    if name:
        answer.set_cookie(COOKIE, quote(name), _KEPT_S, path=ROOT, httponly=True, samesite="strict")
    else:
        answer.delete_cookie(COOKIE, path=ROOT, httponly=True, samesite="strict")
    return answer
