"""The routes of the API, whose guard checks key, site, limits and body of each request.

The key is checked before the body is read, and the body in the strict form of its record.
"""

import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from jinja2 import Environment
from pydantic import TypeAdapter
from pydantic.alias_generators import to_camel
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from leaderboard.api import request_checks
from leaderboard.api.keys import ApiKey
from leaderboard.api.keys import Scope as KeyScope
from leaderboard.api.run_shapes import ApiError, ApiProblem
from records.errors import RecordsError
from records.files.problems import give_reason
from records.shapes.base import Record
from records.text.visible import make_one_line
from review.desk.guard import FixedHeaders, find_foreign_header

GUARD = "x-guard"
"""The key of a guard among the additions of a route to the OpenAPI document."""
_REPEATED = frozenset({"ids"})
"""The parameters that may be given more than once."""
_LOG = logging.getLogger(__name__)


class Guard(NamedTuple):
    """The demands of an operation, by which its route checks requests and the document has them."""

    scopes: Sequence[KeyScope] = ()
    """The key must have one of these scopes; empty if no key is needed."""
    largest_body: int = 0
    """The most bytes of a body."""
    refusals: Sequence[int] = ()
    """The statuses of refusals, besides those of every operation of its kind."""


def guard(*scopes: KeyScope, body: int = 0, refusals: Sequence[int] = ()) -> dict[str, Any]:
    """Return the argument ``openapi_extra`` of a route with this guard."""
    return {GUARD: Guard(scopes, body, refusals)}


async def _get_key(request: Request) -> ApiKey:  # a plain function would take a thread each time
    return request.state.key


Key = Annotated[ApiKey, Depends(_get_key)]
"""The key of a request, for operations with scopes."""


class _ParsedRequest(Request):
    """A request whose body has been read and validated."""

    def __init__(self, scope: Scope, parsed: object) -> None:
        super().__init__(scope)
        self._parsed = parsed

    async def body(self) -> bytes:
        """Return any bytes: FastAPI calls `json` unless there are none."""
        return b"parsed"

    async def json(self) -> Any:  # noqa: ANN401 - the record of the operation
        """Return the validated body."""
        return self._parsed


class GuardedRoute(APIRoute):
    """A route that checks requests by its `Guard` before FastAPI looks at their parameters."""

    @property
    def method(self) -> str:
        """The method of the requests that the route answers."""
        return next(iter(self.methods or ()))

    @property
    def guard(self) -> Guard:
        """The demands on requests."""
        return (self.openapi_extra or {})[GUARD]

    @property
    def query(self) -> type[Record] | None:
        """The record of the parameters; None if it takes none."""
        shapes: list[Any] = [field.field_info.annotation for field in self.dependant.query_params]
        return shapes[0] if shapes else None

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the function that answers a request, or raises the reason of its refusal."""
        answer, (scopes, largest_body, _) = super().get_route_handler(), self.guard
        shape: Any = self.body_field and self.body_field.field_info.annotation
        body = TypeAdapter[Any](shape) if shape else None
        names = list(self.query.model_fields) if self.query else ()

        async def answer_guarded(request: Request) -> Response:
            gate: request_checks.Gate = request.app.state.gate
            for part in self.dependant.path_params:
                location = ("path", part.name)
                if faults := part.validate(request.path_params[part.name], loc=location)[1]:
                    raise RequestValidationError(faults)
            if request.method != "GET" and (header := find_foreign_header(request)):
                raise ApiError(403, "pages of other sites may not write here", header)
            if scopes:
                request.state.key = await run_in_threadpool(gate.authorize_request, request, scopes)
            given = Counter(name for name, _ in request.query_params.multi_items())
            for name, count in given.items():
                if name not in names:
                    accepted = ", ".join(names) or "none is taken"
                    raise ApiError(400, f"{name}: is no parameter; these are: {accepted}", name)
                if count > 1 and name not in _REPEATED:
                    raise ApiError(400, f"{name}: is given more than once", name)
            if body is None:
                return await answer(request)
            async with gate.hold_body(request, largest_body) as raw_body:
                is_large = len(raw_body) > request_checks.LARGE
                try:
                    parsed = await run_in_threadpool(request_checks.parse_body, raw_body, body)
                    del raw_body
                    return await answer(_ParsedRequest(request.scope, parsed))
                finally:
                    parsed = None  # else its memory could not be released
                    if is_large:
                        await run_in_threadpool(request_checks.release_memory)

        return answer_guarded


class _HeadRequests:
    """A middleware that answers HEAD as GET."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)


def make_guarded_app(gate: request_checks.Gate, middleware: Sequence[Middleware]) -> FastAPI:
    """Return an application whose routes, which are added later, are guarded."""
    app = FastAPI(
        openapi_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: to_camel(route.name),
        responses={"default": {"model": ApiProblem}},
        middleware=[
            *middleware,
            Middleware(FixedHeaders, headers={"X-Content-Type-Options": "nosniff"}),
            Middleware(_HeadRequests),
        ],
        exception_handlers={
            ApiError: _refuse,
            RecordsError: _refuse,
            RequestValidationError: _refuse,
            HTTPException: _refuse,
        },
    )
    app.router.route_class = GuardedRoute
    app.state.gate = gate
    return app


async def _refuse(request: Request, error: Exception) -> Response:
    """Return the answer with the reason why a request was refused."""
    refusal = ApiError(404, "there is nothing at this address")
    match error:
        case ApiError():
            refusal = error
        case RequestValidationError():
            problem = error.errors()[0]
            name, reason = str(problem["loc"][1]), give_reason(problem)
            status = 404 if problem["loc"][0] == "path" else 400
            refusal = ApiError(status, f"{name}: {reason}", name)
        case HTTPException(status_code=405):
            allowed = ", ".join(
                route.method
                for route in request.app.routes
                if isinstance(route, GuardedRoute) and route.path_regex.match(request.url.path)
            )
            reason = f"{request.method} is not answered here: {allowed}"
            refusal = ApiError(405, reason, None, {"Allow": allowed})
        case RecordsError():
            _LOG.error("%s", make_one_line(f"{request.method} {request.url.path}: {error}"))
            reason = "a file of this server cannot be read; the server's log names it"
            refusal = ApiError(500, reason)
        case _:
            pass
    body = ApiProblem(error=refusal.reason, parameter=refusal.parameter).model_dump_json()
    return Response(body, refusal.status, refusal.headers, "application/json")


Json = dict[str, Any]
_HERE = Path(__file__).parent
_HEADERS: Mapping[int, tuple[str, str]] = {
    401: ("WWW-Authenticate", "The way to authenticate."),
    405: ("Allow", "The methods that are answered."),
    429: ("Retry-After", "Seconds after which to ask again."),
    503: ("Retry-After", "Seconds after which to ask again."),
}
_KEY = {"type": "http", "scheme": "bearer", "bearerFormat": "osk_ and 40 hexadecimal digits"}


def render_document_page(document: Mapping[str, Any]) -> str:
    """Return the page that shows an OpenAPI document."""
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((_HERE / "document_page.html").read_text("utf-8"))
    return template.render(document)


def read_style_sheet() -> str:
    """Return the style sheet of the page."""
    return (_HERE / "style.css").read_text("utf-8")


def build_openapi_document(api: FastAPI) -> Json:
    """Return FastAPI's document, with the docstrings of fields, and the refusals of each guard."""
    if api.openapi_schema is not None:
        return api.openapi_schema
    document = get_openapi(
        title="Leaderboard: scores API",
        version=version("convex-leaderboard"),
        description="Receives runs of other machines; returns runs, scores and labelled sessions. "
        "`leaderboard keys create` makes keys.",
        routes=api.routes,
    )
    components = document["components"]
    components["securitySchemes"] = {"key": _KEY}
    for schema in components["schemas"].values():
        for field in schema.get("properties", {}).values():
            if "patternProperties" in field:  # names that fit no pattern are refused
                field["additionalProperties"] = False
    for route in api.routes:
        if isinstance(route, GuardedRoute):
            operation = document["paths"][route.path_format][route.method.lower()]
            _describe_operation(operation, route)
    api.openapi_schema = document
    return document


def _describe_operation(operation: Json, route: GuardedRoute) -> None:
    """Add to FastAPI's description of an operation what its guard demands."""
    del operation[GUARD]
    guard = route.guard
    operation["summary"] = operation.pop("description")
    operation["security"] = [{"key": []}] if guard.scopes else []
    if guard.scopes:
        operation["description"] = f"Needs a key that may {' or '.join(guard.scopes)}."
    fields: Json = route.query.model_json_schema()["properties"] if route.query else {}
    for parameter in operation.setdefault("parameters", []):
        if parameter["in"] == "query":
            schema, field = parameter["schema"], fields[parameter["name"]]
            choices = schema.pop("anyOf", [])  # null, which no query has, is the last
            parameter |= {
                "description": field["description"],
                "schema": choices[0] if choices else schema,
            }
    statuses = {400, 405, 421, *guard.refusals}
    if guard.scopes:
        statuses |= {401, 403, 429, 500}
    if guard.largest_body:
        statuses |= {403, 408, 413, 415, 503}
    if "{" in route.path_format:
        statuses |= {404}
    responses = operation["responses"]
    content = responses.pop("default")["content"]
    for status in sorted(statuses):
        refusal: Json = {
            "description": HTTPStatus(status).phrase
            + (
                f": {guard.largest_body} bytes"
                if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
                else ""
            ),
            "content": content,
        }
        if status in _HEADERS:
            name, words = _HEADERS[status]
            refusal["headers"] = {
                name: {"description": words, "required": True, "schema": {"type": "string"}}
            }
        responses[str(status)] = refusal
