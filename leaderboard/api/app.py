"""The API: routes for the preview server, and an application that can be deployed alone.

`uvicorn --factory leaderboard.api.app:deployed` serves the application; see `docs/hosting.md`.
"""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from leaderboard.api.attempt_shapes import SentAttempt
from leaderboard.api.errors import NotThereError
from leaderboard.api.keys import KeyStore
from leaderboard.api.openapi_document import (
    build_openapi_document,
    read_style_sheet,
    render_document_page,
)
from leaderboard.api.operations import (
    Asked,
    Operation,
    build_operation_routes,
    build_problem_response,
    build_record_response,
)
from leaderboard.api.receiver import Receiver
from leaderboard.api.request_checks import MEBIBYTE, SMALL_BODY, ApiLimits, Gate
from leaderboard.api.run_reader import RunFilter, RunReader, RunsQuery
from leaderboard.api.run_shapes import AttemptReceipt, Channel, RunEnd, RunList, RunStart, RunState
from leaderboard.api.scores import ScoreList, ScoreReader
from leaderboard.api.session_operations import SessionOperations
from leaderboard.request_guards import HostGuard
from records.files.data_folder import DataFolder
from records.journal.entries import AttemptKey
from records.shapes.run import Run
from records.suites.benchmark import Benchmark
from records.writer import encode_run

DOCUMENT: Final = "/openapi.json"
LARGEST_ATTEMPT: Final = 16 * MEBIBYTE
"""The most bytes of an attempt: the longest reply, twice, with some more for prompt and logs."""
_POLICY: Final = {"Content-Security-Policy": "default-src 'none'; style-src 'self'"}
_RUN: Final = "/api/runs/{run_id}"
_CHANNELS: Final[Sequence[Channel]] = ("production", "development")


class ScoresApi:
    """All operations of the API on a data folder."""

    def __init__(self, data: DataFolder, limits: ApiLimits | None = None) -> None:
        """Make the table of operations; nothing is read yet."""
        self._gate = Gate(KeyStore(data.keys_file), limits or ApiLimits())
        self._receiver = Receiver(data)
        self._runs = {channel: RunReader(self._receiver, channel) for channel in _CHANNELS}
        self._scores = {channel: ScoreReader(data, channel) for channel in _CHANNELS}
        sessions = SessionOperations(data).list_operations()
        self.operations: Final = [
            *self._list_write_operations(),
            *self._list_read_operations(),
            *sessions,
            *self._list_document_operations(),
        ]
        """The table of all operations."""

    def build_routes(self) -> list[BaseRoute]:
        """Return the routes of all operations; other addresses below `/api/` answer 404."""
        operation_routes: list[BaseRoute] = [*build_operation_routes(self.operations, self._gate)]
        roots = dict.fromkeys(
            "/".join(operation.path.split("/")[:3]) for operation in self.operations
        )
        below = [f"{root}/{{rest:path}}" for root in roots if root != DOCUMENT]
        return [*operation_routes, *(Route(path, _Missing()) for path in below)]

    def _list_write_operations(self) -> list[Operation]:
        writing = partial(Operation, scopes=("runs:write",))
        return [
            writing(
                "startRun",
                "POST",
                "/api/runs",
                "Begin to send a run, or go on with one.",
                self._start,
                {
                    200: ("The run is known; the answer lists its received attempts.", RunState),
                    201: ("The run begins.", RunState),
                },
                body=TypeAdapter(RunStart),
                refusals=(409,),
            ),
            writing(
                "putAttempt",
                "PUT",
                f"{_RUN}/attempts/{{category}}/{{name}}/{{sample}}",
                "Send an attempt; sending it again changes nothing.",
                self._put,
                {
                    200: ("The attempt was received before.", AttemptReceipt),
                    201: ("The attempt is on the disk.", AttemptReceipt),
                },
                body=TypeAdapter(SentAttempt),
                largest_body=LARGEST_ATTEMPT,
                refusals=(409,),
            ),
            writing(
                "finishRun",
                "POST",
                f"{_RUN}/finish",
                "Report that a run has ended; its record is written.",
                lambda asked: self._receiver.finish(asked.key, asked.path["run_id"], asked.body),
                {200: ("The run as it is recorded.", RunState)},
                body=TypeAdapter(RunEnd),
                largest_body=SMALL_BODY,
                refusals=(409,),
            ),
            writing(
                "putBenchmark",
                "PUT",
                "/api/benchmarks/{version}",
                "Define the benchmark version that development runs belong to.",
                self._define,
                {200: ("The version is defined.", Benchmark)},
                body=TypeAdapter(Benchmark),
                refusals=(409,),
            ),
        ]

    def _list_read_operations(self) -> list[Operation]:
        return [
            Operation(
                "listRuns",
                "GET",
                "/api/runs",
                "List the runs of the key's channel, the newest first.",
                lambda asked: self._runs[asked.key.channel].read_run_page(asked.query),
                {200: ("Runs.", RunList)},
                ("runs:read",),
                RunsQuery,
                refusals=(404,),
            ),
            Operation(
                "getRun",
                "GET",
                _RUN,
                "A run and its received attempts.",
                lambda asked: self._receiver.read_run_state(asked.key, asked.path["run_id"]),
                {200: ("The run.", RunState)},
                ("runs:read", "runs:write"),
            ),
            Operation(
                "getRecord",
                "GET",
                f"{_RUN}/record",
                "The record of a run that has ended.",
                self._show_record,
                {200: ("The record.", Run)},
                ("runs:read",),
            ),
            Operation(
                "listScores",
                "GET",
                "/api/scores",
                "The leaderboards over the runs of the key's channel.",
                lambda asked: self._scores[asked.key.channel].list_scores(asked.query),
                {200: ("Rows of the leaderboards.", ScoreList)},
                ("runs:read",),
                RunFilter,
            ),
        ]

    def _list_document_operations(self) -> list[Operation]:
        return [
            Operation(
                "getDocument",
                "GET",
                DOCUMENT,
                "This document.",
                lambda _: JSONResponse(self.build_openapi_document()),
                {200: ("This document.", "application/json")},
            ),
            Operation(
                "getPage",
                "GET",
                "/api/docs",
                "This document as a page.",
                lambda _: Response(
                    render_document_page(self.build_openapi_document()), 200, _POLICY, "text/html"
                ),
                {200: ("The page.", "text/html")},
            ),
            Operation(
                "getStyle",
                "GET",
                "/api/docs/style.css",
                "The style sheet of the page.",
                lambda _: Response(read_style_sheet(), media_type="text/css"),
                {200: ("A style sheet.", "text/css")},
            ),
        ]

    def build_openapi_document(self) -> dict[str, Any]:
        """Return the OpenAPI document."""
        return build_openapi_document(self.operations)

    def _start(self, asked: Asked) -> Response:
        state, new = self._receiver.start(asked.key, asked.body)
        return build_record_response(state, 201 if new else 200)

    def _put(self, asked: Asked) -> Response:
        path = asked.path
        attempt_key = AttemptKey(f"{path['category']}/{path['name']}", int(path["sample"]))
        receipt, new = self._receiver.put(asked.key, path["run_id"], attempt_key, asked.body)
        return build_record_response(receipt, 201 if new else 200)

    def _define(self, asked: Asked) -> Benchmark:
        self._receiver.define(asked.key, asked.path["version"], asked.body)
        return asked.body

    def _show_record(self, asked: Asked) -> Response:
        run = self._receiver.read_run_record(asked.key, asked.path["run_id"])
        return Response(encode_run(run), media_type="application/json")


def build_api_app(
    data: DataFolder, limits: ApiLimits | None = None, hosts: Sequence[str] = ()
) -> Starlette:
    """Return the API alone as an ASGI application; ``hosts`` are the names of its server."""
    app = Starlette(
        routes=[*ScoresApi(data, limits).build_routes(), Route("/{rest:path}", _Missing())],
        middleware=[Middleware(HostGuard, hosts=hosts)],
    )
    app.router.redirect_slashes = False
    return app


def deployed() -> Starlette:
    """Return the API alone, with the data folder and the host names from the environment.

    The variables are LEADERBOARD_DATA and LEADERBOARD_HOSTS, whose names are separated by commas.
    """
    hosts = [host.strip() for host in os.environ.get("LEADERBOARD_HOSTS", "").split(",")]
    data = DataFolder(Path(os.environ.get("LEADERBOARD_DATA", "data")))
    return build_api_app(data, hosts=[host for host in hosts if host])


class _Missing:
    """An ASGI application that answers 404 to each request."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 404."""
        await build_problem_response(NotThereError("there is nothing at this address"))(
            scope, receive, send
        )
