"""The operations of the API, and the ASGI endpoints that answer requests with them.

There is only one list of operations, the table: `build_operation_routes` makes endpoints from it,
and `leaderboard.api.openapi_document` describes it.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from leaderboard.api.errors import (
    ApiError,
    DamagedError,
    LargeBodyError,
    NotThereError,
    WrongMethodError,
)
from leaderboard.api.keys import ApiKey
from leaderboard.api.keys import Scope as KeyScope
from leaderboard.api.request_checks import (
    LARGE,
    MEBIBYTE,
    Gate,
    check_site,
    match_path,
    parse_body,
    parse_parameters,
    release_memory,
)
from leaderboard.api.run_shapes import ApiProblem
from records.errors import RecordsError
from records.files.name_patterns import BENCHMARK_ID, RUN_ID, SESSION_ID
from records.shapes.base import Record
from records.text.visible import make_one_line

Method = Literal["GET", "POST", "PUT"]
_SAFE: Final = frozenset({"GET", "HEAD"})
_LOG: Final = logging.getLogger(__name__)

PATH_PARTS: Final[Mapping[str, str]] = {
    "run_id": RUN_ID,
    "comparison_id": RUN_ID,
    "category": r"^[0-9]{3}-[a-z0-9_]{1,60}$",
    "name": r"^[0-9]{3}-[a-z0-9_]{1,60}$",
    "sample": r"^[1-9][0-9]{0,2}$",
    "version": BENCHMARK_ID,
    "session_id": SESSION_ID,
    "turn": r"^[1-9][0-9]{0,6}$",
}
"""The pattern of each part of an address; an address with another part answers 404."""


class NoParameters(Record):
    """A query without parameters."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that has passed all checks."""

    given_key: ApiKey | None
    """The key of the request; None if none is needed."""
    path: Mapping[str, str]
    """The parts of the address, by name."""
    query: Any
    """The parameters, in the shape of the operation."""
    body: Any
    """The body, in the shape of the operation; None if the operation has no body."""

    @property
    def key(self) -> ApiKey:
        """The key of the request, for operations with scopes."""
        if self.given_key is None:
            raise AssertionError("an operation without scopes asks for a key")
        return self.given_key


@dataclass(frozen=True)
class Operation:
    """An operation of the API."""

    name: str
    method: Method
    path: str
    summary: str
    answer: Callable[[Asked], Record | Response]
    """The function that answers, called in a thread; it may raise `ApiError`."""
    answers: Mapping[int, tuple[str, type[Record] | str]]
    """The answers to a valid request by status: a description, and the shape or the media types."""
    scopes: Sequence[KeyScope] = ()
    """The key must have one of these scopes; empty if no key is needed."""
    query: type[Record] = NoParameters
    body: TypeAdapter[Any] | None = None
    largest_body: int = MEBIBYTE
    """The most bytes of a body."""
    refusals: Sequence[int] = ()
    """The statuses of refusals, besides those of every operation of its kind."""

    @cached_property
    def statuses(self) -> list[int]:
        """The statuses of all possible refusals, sorted."""
        codes = {400, 405, 421, *self.refusals}
        if self.scopes:
            codes |= {401, 403, 429, 500}
        if self.body is not None:
            codes |= {403, 408, 413, 415, 503}
        if "{" in self.path:
            codes |= {404}
        return sorted(codes)

    def build_response(self, asked: Asked) -> Response:
        """Return the answer to a request; a record is answered with status 200."""
        answer = self.answer(asked)
        return build_record_response(answer) if isinstance(answer, Record) else answer


class Endpoint:
    """An ASGI application that answers the operations of one path."""

    def __init__(self, operations: Sequence[Operation], gate: Gate) -> None:
        """Store the operations of a path, one for each method, and the gate."""
        self._operations = {operation.method: operation for operation in operations}
        self._gate = gate

    @property
    def methods(self) -> Collection[str]:
        """The methods that the endpoint answers, without HEAD."""
        return self._operations.keys()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it with a reason."""
        request = Request(scope, receive)
        try:
            response = await self._answer_request(request)
        except ApiError as error:
            response = build_problem_response(error)
        except RecordsError as error:
            _LOG.error("%s", make_one_line(f"{request.method} {request.url.path}: {error}"))
            reason = "a file of this server cannot be read; the server's log names it"
            response = build_problem_response(DamagedError(reason))
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers["X-Content-Type-Options"] = "nosniff"
        await response(scope, receive, send)
        if response.status_code != LargeBodyError.status and _has_large_body(request):
            await run_in_threadpool(release_memory)

    async def _answer_request(self, request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        operation = self._operations.get(method)  # pyright: ignore[reportArgumentType]
        if operation is None:
            allowed = ", ".join(self._operations)
            raise WrongMethodError(
                f"{request.method} is not answered here: {allowed}", None, {"Allow": allowed}
            )
        wrong = match_path(PATH_PARTS, request.path_params)
        if wrong is not None:
            raise NotThereError(f"{wrong}: is not of the form {PATH_PARTS[wrong]}", wrong)
        if method not in _SAFE:
            check_site(request)
        key = None
        if operation.scopes:
            key = await run_in_threadpool(self._gate.authorize_request, request, operation.scopes)
        query = parse_parameters(request, operation.query)
        if operation.body is None:
            checked_request = Asked(key, request.path_params, query, None)
            return await run_in_threadpool(operation.build_response, checked_request)
        async with self._gate.hold_body(request, operation.largest_body) as raw_body:
            body = await run_in_threadpool(parse_body, raw_body, operation.body)
            checked_request = Asked(key, request.path_params, query, body)
            return await run_in_threadpool(operation.build_response, checked_request)


def _has_large_body(request: Request) -> bool:
    """Return whether the body of a request is large, or of an unknown size."""
    if request.method in _SAFE:
        return False
    length = request.headers.get("content-length", "")
    return not length.isdecimal() or int(length) > LARGE


def build_operation_routes(operations: Sequence[Operation], gate: Gate) -> list[Route]:
    """Return a route for each path."""
    paths = dict.fromkeys(operation.path for operation in operations)
    return [
        Route(
            path, Endpoint([operation for operation in operations if operation.path == path], gate)
        )
        for path in paths
    ]


def build_problem_response(error: ApiError) -> Response:
    """Return the answer with the reason why a request was refused."""
    return build_record_response(
        ApiProblem(error=error.reason, parameter=error.parameter), error.status, error.headers
    )


def build_record_response(
    record: Record, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a record as an answer."""
    text = record.model_dump_json()
    return Response(text, status, dict(headers or {}), media_type="application/json")
