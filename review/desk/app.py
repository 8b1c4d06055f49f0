"""The desk as an ASGI application, to be mounted at `/review`."""

import re
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from inspect import signature
from urllib.parse import quote, unquote

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from records.errors import MissingRecordError, RecordsError
from records.files.name_patterns import EVAL_NAME, PSEUDONYM, RUN_ID, SESSION_ID
from review.desk.desk import HERE, ROOT, Desk, render_page
from review.desk.guard import FixedHeaders, FormFields, read_form
from review.desk.pages import exporting, judging, lists, session_view, side_by_side
from review.errors import ChangedMeanwhileError, FilterError, GateError, IndexInTheMakingError

_MEDIA_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_SITE_ASSETS = ("site.css", "mark.svg", "aileron-400.woff2", "aileron-600.woff2")
_NOT_FOUND = 404
ADDRESS_PARTS = {
    "id": SESSION_ID,
    "run": RUN_ID,
    "eval": EVAL_NAME,
    "comparison": RUN_ID,
    "key": r"^[0-9]{8}T[0-9]{12}-[0-9a-f]{16}$",
}
"""The pattern of each part of an address; an alias needs none, as it is only looked up."""
_HEADERS = {
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""Headers by which only the desk's own pages load or frame its answers."""


def build_desk_app(
    desk: Desk, list_more: Callable[["DeskPages"], Sequence[BaseRoute]] = lambda _: ()
) -> Starlette:
    """Return the application; ``list_more`` returns routes of pages of another package."""
    pages = DeskPages(desk)
    page, form = pages.make_page_endpoint, pages.make_form_endpoint
    session, blind = "/sessions/{id}", "/blind/{alias}"
    comparison, pair = "/comparisons/{comparison}", "/comparisons/{comparison}/{number:int}"
    attempt = "/attempts/{run}/{eval:path}/{sample:int}"
    message = "messages/{number:int}"
    turn = f"{session}/turns/{{number:int}}"
    return Starlette(
        routes=[
            Route("/", page(partial(lists.render_list_page, evals=False))),
            Route("/evals", page(partial(lists.render_list_page, evals=True))),
            Route("/many", form(lists.change_many), methods=["POST"]),
            Route("/many/undo", form(lists.undo_many), methods=["POST"]),
            Route("/many/continue", form(lists.go_on), methods=["POST"]),
            Route("/many/{key}", page(lists.render_change_page)),
            Route("/next", page(judging.redirect_to_next_session)),
            Route(session, page(judging.render_session_page)),
            Route(session, form(judging.save), methods=["POST"]),
            Route(f"{session}/undo", form(judging.undo), methods=["POST"]),
            Route(f"{session}/later", form(judging.put_off), methods=["POST"]),
            Route(f"{session}/raw", page(session_view.serve_raw_session)),
            Route(f"{session}/{message}", page(session_view.serve_message)),
            Route(turn, form(judging.save_turn), methods=["POST"]),
            Route(blind, page(judging.render_blind_page)),
            Route(blind, form(judging.save_blind), methods=["POST"]),
            Route(f"{blind}/later", form(partial(judging.put_off, blind=True)), methods=["POST"]),
            Route(f"{blind}/{message}", page(partial(session_view.serve_message, blind=True))),
            Route("/undo", form(judging.take_back), methods=["POST"]),
            Route("/reviewer", form(switch_reviewer), methods=["POST"]),
            Route(attempt, page(session_view.render_attempt_page)),
            Route(attempt, form(session_view.make_sessions), methods=["POST"]),
            Route("/comparisons", page(side_by_side.render_comparisons_page)),
            Route(f"{comparison}/next", page(side_by_side.redirect_to_next_pair)),
            Route(f"{comparison}/results", page(side_by_side.render_results_page)),
            Route(pair, page(side_by_side.render_pair_page)),
            Route(pair, form(side_by_side.judge_pair), methods=["POST"]),
            Route(f"{pair}/undo", form(side_by_side.undo_pair), methods=["POST"]),
            Route("/export", page(exporting.render_export_page)),
            Route("/export/file", page(exporting.export_file)),
            Route("/assets/{name}", pages.serve_asset),
            *list_more(pages),
        ],
        middleware=[Middleware(FixedHeaders, headers=_HEADERS)],
        exception_handlers={
            HTTPException: pages.show_refusal,
            FilterError: pages.show_refusal,
            GateError: pages.show_refusal,
            ChangedMeanwhileError: pages.show_refusal,
            RecordsError: pages.show_refusal,
            IndexInTheMakingError: pages.show_index_progress,
            sqlite3.OperationalError: pages.show_refusal,
        },
    )


def mount_desk(
    desk: Desk, list_more: Callable[["DeskPages"], Sequence[BaseRoute]]
) -> list[BaseRoute]:
    """Return the routes of a site that has the desk, with more pages, at `/review`."""

    def to_desk(_: Request) -> Response:
        return RedirectResponse(ROOT, 308)

    return [Route("/review", to_desk), Mount("/review", build_desk_app(desk, list_more))]


class DeskPages:
    """The answers to requests. A form is checked before its fields are used."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def make_page_endpoint(self, page: Callable[..., Response]) -> Callable[[Request], Response]:
        """Return the endpoint for a page, a function with the parameters of `_answer_request`."""
        return partial(self._answer_request, page)

    def make_form_endpoint(
        self, form: Callable[..., Response]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint for a form, whose function also gets the fields, as the last."""

        async def answer_request(request: Request) -> Response:
            fields = await read_form(request, self._desk.token)
            return await to_thread.run_sync(self._answer_request, form, request, fields)

        return answer_request

    def _answer_request(
        self, page: Callable[..., Response], request: Request, *fields: FormFields
    ) -> Response:
        """Return a page: a function of the desk for the reviewer, and the parts of the address.

        The session of an alias is looked up. If ``page`` has the parameter ``query``, it also gets
        the query of the address.

        Raises:
            HTTPException: 404, a part of the address does not match its pattern.
        """
        desk = find_desk(self._desk, request)
        parts: list[object] = []
        for name, value in request.path_params.items():
            part = desk.index.find_alias(value) if name == "alias" else value
            if part is None or (
                name in ADDRESS_PARTS and not re.fullmatch(ADDRESS_PARTS[name], str(part))
            ):
                raise HTTPException(404, "there is nothing with this name")
            parts.append(part)
        query = [request.url.query] if "query" in signature(page).parameters else []
        return page(desk, *parts, *query, *fields)

    def serve_asset(self, request: Request) -> Response:
        """Return a file of the desk or of the site, with the time for which browsers cache it.

        Browsers use a font only if it arrives with the page (font-display: optional). If fonts were
        not cached, some pages would have them and others not.
        """
        name = request.path_params["name"]
        path = (self._desk.site_assets if name in _SITE_ASSETS else HERE / "assets") / name
        media_type = _MEDIA_TYPES.get(path.suffix)
        if media_type is None or not path.is_file():
            raise HTTPException(404, "there is no such file")
        caching = "max-age=86400" if media_type.startswith("font/") else "no-cache"
        return FileResponse(path, media_type=media_type, headers={"Cache-Control": caching})

    def show_refusal(self, request: Request, error: Exception) -> Response:
        """Return the page of a request that was refused, so that nothing was written."""
        reason = str(error)
        match error:
            case HTTPException(status_code=404, detail="Not Found"):  # Starlette found no route
                status, reason = _NOT_FOUND, "there is no such page"
            case HTTPException():
                status, reason = error.status_code, error.detail
            case FilterError():
                status = 400
            case GateError():
                status = 403
            case ChangedMeanwhileError():
                again = "reload the page, and repeat your change"
                status, reason = 412, f"somebody changed the session since it was shown: {again}"
            case sqlite3.OperationalError():
                again = "another process may be making it: try again in a minute"
                status, reason = 503, f"the index of sessions cannot be asked ({error}); {again}"
            case MissingRecordError():
                status, reason = _NOT_FOUND, "there is no such session"
            case _:
                status = 409
        headers = error.headers if isinstance(error, HTTPException) else None
        answer = render_page(
            find_desk(self._desk, request),
            "refused.html",
            title="Not found" if status == _NOT_FOUND else "That did not work",
            status=status,
            reason=reason,
            wrote=request.method not in {"GET", "HEAD"},
        )
        answer.headers.update(headers or {})
        return answer

    def show_index_progress(self, request: Request, error: Exception) -> Response:
        """Return a page with the progress of the index, which reloads itself; a form is refused."""
        if not isinstance(error, IndexInTheMakingError) or request.method not in {"GET", "HEAD"}:
            return self.show_refusal(request, HTTPException(503, str(error)))
        answer = render_page(
            self._desk,
            "indexing.html",
            title="The index of sessions is being made",
            status=503,
            done=error.done,
            total=error.total,
        )
        answer.headers.update({"Refresh": "1", "Retry-After": "1"})
        return answer


COOKIE = "desk-reviewer"
_KEPT_S = 365 * 24 * 3600


def find_desk(desk: Desk, request: Request) -> Desk:
    """Return the desk for the reviewer of a request; a cookie with a wrong value is ignored."""
    chosen = unquote(request.cookies.get(COOKIE, ""))
    return desk.copy_for_reviewer(chosen) if re.fullmatch(PSEUDONYM, chosen) else desk


def switch_reviewer(_: Desk, fields: FormFields) -> Response:
    """Write the pseudonym in a form to a cookie; without one, that of `--reviewer` is used.

    Raises:
        HTTPException: 400, the pseudonym is not valid in a label log.
    """
    name = fields.read_value("reviewer").strip()
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
