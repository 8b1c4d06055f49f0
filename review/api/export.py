"""`GET /api/export`: labelled sessions as files, for whoever has a key.

curl -H "Authorization: Bearer osk_..." "http://127.0.0.1:8000/api/export?format=openai&tag=auth"
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from records.session import EvalStatus
from review.api.keys import KeyStore
from review.exports.formats import FORMATS, ExportCounts, exported
from review.exports.rows import ExportOptions
from review.selection import SessionSelection
from review.store import SessionStore

PATH: Final = "/api/export"
_LIMIT: Final = re.compile(r"[1-9][0-9]{0,8}")
_PARAMETERS: Final = ("format", "status", "tag", "limit")
_BEARER: Final = re.compile(r"Bearer (osk_[0-9a-f]{40})")


class _WrongParameterError(ValueError):
    """A parameter of the query is unknown, repeated or wrong."""

    def __init__(self, parameter: str, reason: str) -> None:
        super().__init__(f"{parameter}: {reason}")
        self.parameter = parameter


def export_endpoint(store: SessionStore, keys: KeyStore) -> Callable[[Request], Response]:
    """Return what answers `GET /api/export`."""

    def endpoint(request: Request) -> Response:
        if (refusal := _refusal(request, keys)) is not None:
            return refusal
        try:
            name, selection = _asked(request.query_params)
        except _WrongParameterError as error:
            return JSONResponse({"error": str(error), "parameter": error.parameter}, 400)
        form = FORMATS[name]
        pieces = exported(selection.of(store), form, ExportOptions(), ExportCounts())
        return StreamingResponse(
            _encoded(pieces),
            media_type=form.media_type,
            headers={
                "Content-Disposition": f'attachment; filename="sessions-{name}{form.suffix}"',
                "Cache-Control": "no-store",
            },
        )

    return endpoint


def _refusal(request: Request, keys: KeyStore) -> Response | None:
    found = _BEARER.fullmatch(request.headers.get("authorization", ""))
    if found is not None and keys.accepts(found[1], "sessions:read"):
        return None
    return JSONResponse(
        {"error": "a key that holds is needed: leaderboard keys create NAME"},
        401,
        {"WWW-Authenticate": 'Bearer realm="leaderboard"'},
    )


def _asked(query: QueryParams) -> tuple[str, SessionSelection]:
    """Return the format and the selection that a query asks for; only examples are exported.

    Raises:
        _WrongParameterError: which parameter, and why.
    """
    given = _single(query)
    name = given.get("format", "deepeval")
    if name not in FORMATS:
        raise _WrongParameterError("format", f"must be one of {', '.join(FORMATS)}")
    status = given.get("status")
    if status is not None and status not in {one.value for one in EvalStatus}:
        raise _WrongParameterError("status", f"must be one of {', '.join(EvalStatus)}")
    limit = given.get("limit")
    if limit is not None and not _LIMIT.fullmatch(limit):
        raise _WrongParameterError("limit", "must be a whole number from 1 on")
    tag = given.get("tag")
    return name, SessionSelection(
        statuses=frozenset({EvalStatus(status)} if status else ()),
        tags=frozenset({tag} if tag is not None else ()),
        limit=int(limit) if limit else None,
        ready=True,
    )


def _single(query: QueryParams) -> Mapping[str, str]:
    for name in dict(query):
        if name not in _PARAMETERS:
            raise _WrongParameterError(name, f"is none of {', '.join(_PARAMETERS)}")
        if len(query.getlist(name)) > 1:
            raise _WrongParameterError(name, "stands more than once")
    return dict(query)


def _encoded(pieces: Iterator[str]) -> Iterator[bytes]:
    for piece in pieces:
        yield piece.encode()
