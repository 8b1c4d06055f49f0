"""The desk as an ASGI application, to be mounted at `/review`."""

import re
import sqlite3
from collections.abc import Callable, MutableMapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from anyio import to_thread
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from records.errors import MissingRecordError, RecordsError
from records.files.name_patterns import EVAL_NAME, RUN_ID, SESSION_ID
from review.desk.desk import HERE, ROOT, Desk, render_page
from review.desk.guard import FormFields, read_form
from review.desk.pages import (
    attempts,
    bulk,
    classing,
    exporting,
    judging,
    lists,
    plain,
    reviewers,
    side_by_side,
    turn_labels,
)
from review.errors import FilterError, GateError, IndexInTheMakingError

_ASSETS: Final = {
    "desk.css": "text/css",
    **dict.fromkeys(
        (
            "early.js",
            "desk.js",
            "fields.js",
            "journey.js",
            "rows.js",
            "settings.js",
            "transcript.js",
            "turns.js",
            "typed.js",
        ),
        "text/javascript",
    ),
}
_SITE_ASSETS: Final = {
    "site.css": "text/css",
    "mark.svg": "image/svg+xml",
    "aileron-400.woff2": "font/woff2",
    "aileron-600.woff2": "font/woff2",
}
_NOT_FOUND: Final = 404
_BULK: Final = r"^[0-9]{8}T[0-9]{12}-[0-9a-f]{16}$"
_HEADERS: Final = {
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


def build_desk_app(desk: Desk) -> Starlette:
    """Return the application."""
    pages = _Pages(desk)
    attempt = "/attempts/{run}/{eval:path}/{sample:int}"
    failure = "/reports/{run}/{eval:path}/{sample:int}"
    return Starlette(
        routes=[
            Route("/", pages.show_sessions),
            Route("/evals", pages.show_evals),
            Route("/many", pages.change_many, methods=["POST"]),
            Route("/many/undo", pages.undo_many, methods=["POST"]),
            Route("/many/continue", pages.continue_many, methods=["POST"]),
            Route("/many/{key}", pages.show_change),
            Route("/next", pages.show_next_session),
            Route("/sessions/{id}", pages.show_session),
            Route("/sessions/{id}", pages.save, methods=["POST"]),
            Route("/sessions/{id}/undo", pages.undo, methods=["POST"]),
            Route("/sessions/{id}/later", pages.put_off, methods=["POST"]),
            Route("/sessions/{id}/raw", pages.show_raw_session),
            Route("/sessions/{id}/messages/{number:int}", pages.show_message),
            Route("/sessions/{id}/turns/{number:int}", pages.save_turn, methods=["POST"]),
            Route("/blind/{alias}", pages.show_blind_session),
            Route("/blind/{alias}", pages.save_blind, methods=["POST"]),
            Route("/blind/{alias}/later", pages.put_off_blind, methods=["POST"]),
            Route("/blind/{alias}/messages/{number:int}", pages.show_blind_message),
            Route("/undo", pages.take_back, methods=["POST"]),
            Route("/reviewer", pages.switch_reviewer, methods=["POST"]),
            Route(attempt, pages.show_attempt),
            Route(attempt, pages.make_sessions, methods=["POST"]),
            Route("/comparisons", pages.show_comparisons),
            Route("/comparisons/{id}/next", pages.show_next_pair),
            Route("/comparisons/{id}/results", pages.show_results),
            Route("/comparisons/{id}/{number:int}", pages.show_pair),
            Route("/comparisons/{id}/{number:int}", pages.judge_pair, methods=["POST"]),
            Route("/comparisons/{id}/{number:int}/undo", pages.undo_pair, methods=["POST"]),
            Route("/reports", pages.show_reports),
            Route("/reports/{run}", pages.show_next_failure),
            Route(failure, pages.show_failure),
            Route(failure, pages.save_class, methods=["POST"]),
            Route("/export", pages.show_export),
            Route("/export/file", pages.export_file),
            Route("/assets/{name}", pages.serve_asset),
        ],
        middleware=[Middleware(_Headers)],
        exception_handlers={
            HTTPException: pages.show_refusal,
            FilterError: pages.show_refusal,
            GateError: pages.show_refusal,
            RecordsError: pages.show_refusal,
            IndexInTheMakingError: pages.show_index_progress,
            sqlite3.OperationalError: pages.show_refusal,
        },
    )


def mount_desk(desk: Desk) -> list[BaseRoute]:
    """Return the routes of a site that has the desk at `/review`."""

    def to_desk(request: Request) -> Response:
        del request
        return RedirectResponse(ROOT, 308)

    return [Route("/review", to_desk), Mount("/review", build_desk_app(desk))]


class _Pages:
    """The answers to requests. A form is checked before its fields are used."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def _find_desk(self, request: Request) -> Desk:
        """Return the desk for the reviewer of a request."""
        return reviewers.find_desk(self._desk, request)

    def show_sessions(self, request: Request) -> Response:
        return lists.render_sessions_page(self._find_desk(request), request.url.query)

    def show_evals(self, request: Request) -> Response:
        return lists.render_evals_page(self._find_desk(request), request.url.query)

    async def change_many(self, request: Request) -> Response:
        return await self._write(request, partial(lists.change_many, self._find_desk(request)))

    async def undo_many(self, request: Request) -> Response:
        return await self._write(request, partial(bulk.undo_many, self._find_desk(request)))

    async def continue_many(self, request: Request) -> Response:
        return await self._write(request, partial(bulk.go_on, self._find_desk(request)))

    def show_change(self, request: Request) -> Response:
        return bulk.render_change_page(
            self._find_desk(request), _read_parameter(request, "key", _BULK)
        )

    def show_next_session(self, request: Request) -> Response:
        return judging.redirect_to_next_session(self._find_desk(request), request.url.query)

    def show_session(self, request: Request) -> Response:
        return judging.render_session_page(
            self._find_desk(request), _read_session_id(request), request.url.query
        )

    async def save(self, request: Request) -> Response:
        session_id = _read_session_id(request)
        return await self._write(
            request, partial(judging.save, self._find_desk(request), session_id, request.url.query)
        )

    async def save_turn(self, request: Request) -> Response:
        session_id, number = _read_session_id(request), request.path_params["number"]
        desk, query = self._find_desk(request), request.url.query
        return await self._write(
            request, partial(turn_labels.save_turn, desk, session_id, number, query)
        )

    async def put_off(self, request: Request) -> Response:
        session_id = _read_session_id(request)
        later = partial(judging.put_off, self._find_desk(request), session_id, request.url.query)
        return await self._write(request, lambda _: later())

    async def put_off_blind(self, request: Request) -> Response:
        later = partial(
            judging.put_off_blind, self._find_desk(request), request.path_params["alias"]
        )
        return await self._write(request, lambda _: later())

    async def take_back(self, request: Request) -> Response:
        return await self._write(
            request, partial(judging.take_back, self._find_desk(request), request.url.query)
        )

    async def switch_reviewer(self, request: Request) -> Response:
        return await self._write(request, reviewers.switch_reviewer)

    def show_raw_session(self, request: Request) -> Response:
        return plain.serve_raw_session(self._find_desk(request), _read_session_id(request))

    def show_message(self, request: Request) -> Response:
        number = request.path_params["number"]
        return plain.serve_message(self._find_desk(request), _read_session_id(request), number)

    def show_blind_message(self, request: Request) -> Response:
        number = request.path_params["number"]
        return plain.serve_blind_message(
            self._find_desk(request), request.path_params["alias"], number
        )

    async def undo(self, request: Request) -> Response:
        session_id = _read_session_id(request)
        return await self._write(
            request, partial(judging.undo, self._find_desk(request), session_id, request.url.query)
        )

    def show_blind_session(self, request: Request) -> Response:
        return judging.render_blind_page(
            self._find_desk(request), request.path_params["alias"], request.url.query
        )

    async def save_blind(self, request: Request) -> Response:
        alias = request.path_params["alias"]
        return await self._write(
            request, partial(judging.save_blind, self._find_desk(request), alias)
        )

    def show_attempt(self, request: Request) -> Response:
        return attempts.render_attempt_page(self._find_desk(request), *_read_attempt(request))

    async def make_sessions(self, request: Request) -> Response:
        attempt = _read_attempt(request)
        return await self._write(
            request, lambda _: attempts.make_sessions(self._find_desk(request), *attempt)
        )

    def show_comparisons(self, request: Request) -> Response:
        return side_by_side.render_comparisons_page(self._find_desk(request))

    def show_next_pair(self, request: Request) -> Response:
        return side_by_side.redirect_to_next_pair(
            self._find_desk(request), _read_parameter(request, "id", RUN_ID)
        )

    def show_results(self, request: Request) -> Response:
        return side_by_side.render_results_page(
            self._find_desk(request), _read_parameter(request, "id", RUN_ID)
        )

    def show_pair(self, request: Request) -> Response:
        return side_by_side.render_pair_page(self._find_desk(request), *_read_pair(request))

    async def judge_pair(self, request: Request) -> Response:
        return await self._write(
            request,
            partial(side_by_side.judge_pair, self._find_desk(request), *_read_pair(request)),
        )

    async def undo_pair(self, request: Request) -> Response:
        pair = _read_pair(request)
        return await self._write(
            request, lambda _: side_by_side.undo_pair(self._find_desk(request), *pair)
        )

    def show_reports(self, request: Request) -> Response:
        return classing.render_reports_page(self._find_desk(request))

    def show_next_failure(self, request: Request) -> Response:
        return classing.redirect_to_next_failure(
            self._find_desk(request), _read_parameter(request, "run", RUN_ID)
        )

    def show_failure(self, request: Request) -> Response:
        return classing.render_failure_page(self._find_desk(request), *_read_attempt(request))

    async def save_class(self, request: Request) -> Response:
        failure = _read_attempt(request)
        return await self._write(
            request, partial(classing.save_class, self._find_desk(request), *failure)
        )

    def show_export(self, request: Request) -> Response:
        return exporting.render_export_page(self._find_desk(request), request.url.query)

    def export_file(self, request: Request) -> Response:
        return exporting.export_file(self._find_desk(request), request.url.query)

    def serve_asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name in _SITE_ASSETS:
            return _serve_file(self._desk.site_assets / name, _SITE_ASSETS[name])
        if name not in _ASSETS:
            raise HTTPException(404, "there is no such file")
        return _serve_file(HERE / "assets" / name, _ASSETS[name])

    def show_refusal(self, request: Request, error: Exception) -> Response:
        """Return the page of a request that was refused, so that nothing was written."""
        status, reason = _describe_refusal(error)
        headers = error.headers if isinstance(error, HTTPException) else None
        answer = render_page(
            self._find_desk(request),
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

    async def _write(self, request: Request, answer: Callable[[FormFields], Response]) -> Response:
        fields = await read_form(request, self._desk.token)
        return await to_thread.run_sync(answer, fields)


def _serve_file(path: Path, media_type: str) -> Response:
    """Return a file of the desk, with the time for which browsers cache it.

    Browsers use a font only if it arrives with the page (font-display: optional). If fonts were not
    cached, some pages would have them and others not.
    """
    caching = "max-age=86400" if media_type.startswith("font/") else "no-cache"
    return FileResponse(path, media_type=media_type, headers={"Cache-Control": caching})


def _describe_refusal(error: Exception) -> tuple[int, str]:
    match error:
        case HTTPException(status_code=404, detail="Not Found"):  # Starlette found no route
            return _NOT_FOUND, "there is no such page"
        case HTTPException():
            return error.status_code, error.detail
        case FilterError() | GateError():
            return (400 if isinstance(error, FilterError) else 403), str(error)
        case sqlite3.OperationalError():
            again = "another process may be making it: try again in a minute"
            return 503, f"the index of sessions cannot be asked ({error}); {again}"
        case MissingRecordError():
            return _NOT_FOUND, "there is no such session"
        case _:
            return 409, str(error)


def _read_session_id(request: Request) -> str:
    return _read_parameter(request, "id", SESSION_ID)


def _read_pair(request: Request) -> tuple[str, int]:
    return _read_parameter(request, "id", RUN_ID), request.path_params["number"]


def _read_attempt(request: Request) -> tuple[str, str, int]:
    run = _read_parameter(request, "run", RUN_ID)
    evaluation = _read_parameter(request, "eval", EVAL_NAME)
    return run, evaluation, request.path_params["sample"]


def _read_parameter(request: Request, name: str, pattern: str) -> str:
    """Return a parameter of the path; a text that does not match the pattern is not found."""
    value = str(request.path_params[name])
    if re.fullmatch(pattern, value) is None:
        raise HTTPException(404, "there is nothing with this name")
    return value


class _Headers:
    """Middleware that adds headers, so that only the desk's own pages load or frame its answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, with_headers)
