"""The API: an application for the preview server, which can also be deployed alone.

`uvicorn --factory leaderboard.api.app:deployed` serves the application; see `docs/hosting.md`.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query
from fastapi import Path as PathPart
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from leaderboard.api import request_checks, run_shapes
from leaderboard.api.guarded_routes import (
    GuardedRoute,
    Key,
    build_openapi_document,
    guard,
    make_guarded_app,
    read_style_sheet,
    render_document_page,
)
from leaderboard.api.keys import KeyStore
from leaderboard.api.receiver import Receiver
from leaderboard.api.run_reader import RunFilter, RunReader, RunsQuery, ScoreList
from leaderboard.api.session_operations import add_session_operations
from leaderboard.request_guards import HostGuard
from records.files.data_folder import DataFolder
from records.files.name_patterns import BENCHMARK_ID, RUN_ID
from records.shapes.attempt import AttemptKey
from records.shapes.run import Run
from records.suites.benchmark import Benchmark
from records.writer import encode_run

DOCUMENT = "/openapi.json"
_POLICY = {"Content-Security-Policy": "default-src 'none'; style-src 'self'"}
_RUN = "/api/runs/{run_id}"
_SLUG = r"^[0-9]{3}-[a-z0-9_]{1,60}$"

_RunId = Annotated[str, PathPart(pattern=RUN_ID, description="The run.")]
_Category = Annotated[str, PathPart(pattern=_SLUG, description="The category of the eval.")]
_Name = Annotated[str, PathPart(pattern=_SLUG, description="The name of the eval in its category.")]
_Sample = Annotated[
    str,
    PathPart(
        pattern=r"^[1-9][0-9]{0,2}$", description="The number of the sample of the eval, from 1."
    ),
]
_Version = Annotated[str, PathPart(pattern=BENCHMARK_ID, description="The benchmark version.")]


def build_api_app(
    data: DataFolder,
    limits: request_checks.ApiLimits | None = None,
    hosts: Sequence[str] | None = (),
) -> FastAPI:
    """Return the API of a data folder; nothing is read yet.

    ``hosts`` are the names of its server; None if another application checks them.
    """
    middleware = [] if hosts is None else [Middleware(HostGuard, hosts=hosts)]
    gate = request_checks.Gate(KeyStore(data.keys_file), limits or request_checks.ApiLimits())
    api = make_guarded_app(gate, middleware)
    receiver = Receiver(data)
    readers = {channel: RunReader(receiver, channel) for channel in run_shapes.CHANNELS}

    @api.post(
        "/api/runs",
        response_description="The run is known; the answer lists its received attempts.",
        responses={201: {"model": run_shapes.RunState, "description": "The run begins."}},
        openapi_extra=guard("runs:write", body=request_checks.MEBIBYTE, refusals=(409,)),
    )
    def start_run(key: Key, start: run_shapes.RunStart, answer: Response) -> run_shapes.RunState:
        """Begin to send a run, or go on with one."""
        state, new = receiver.start(key, start)
        answer.status_code = 201 if new else 200
        return state

    @api.put(
        _RUN + "/attempts/{category}/{name}/{sample}",
        response_description="The attempt was received before.",
        responses={
            201: {"model": run_shapes.AttemptReceipt, "description": "The attempt is on the disk."}
        },
        openapi_extra=guard("runs:write", body=request_checks.LARGEST_ATTEMPT, refusals=(409,)),
    )
    def put_attempt(  # noqa: PLR0913 - one parameter per part of the address
        *,
        key: Key,
        run_id: _RunId,
        category: _Category,
        name: _Name,
        sample: _Sample,
        attempt: run_shapes.SentAttempt,
        answer: Response,
    ) -> run_shapes.AttemptReceipt:
        """Send an attempt; sending it again changes nothing."""
        attempt_key = AttemptKey(f"{category}/{name}", int(sample))
        receipt, new = receiver.put(key, run_id, attempt_key, attempt)
        answer.status_code = 201 if new else 200
        return receipt

    @api.post(
        f"{_RUN}/finish",
        openapi_extra=guard("runs:write", body=request_checks.SMALL_BODY, refusals=(409,)),
    )
    def finish_run(key: Key, run_id: _RunId, end: run_shapes.RunEnd) -> run_shapes.RunState:
        """Report that a run has ended; its record is written."""
        return receiver.finish(key, run_id, end)

    @api.put(
        "/api/benchmarks/{version}",
        openapi_extra=guard("runs:write", body=request_checks.MEBIBYTE, refusals=(409,)),
    )
    def put_benchmark(key: Key, version: _Version, benchmark: Benchmark) -> Benchmark:
        """Define the benchmark version that development runs belong to."""
        receiver.define(key, version, benchmark)
        return benchmark

    @api.get(
        "/api/runs",
        openapi_extra=guard("runs:read", refusals=(404,)),
    )
    def list_runs(key: Key, query: Annotated[RunsQuery, Query()]) -> run_shapes.RunList:
        """List the runs of the key's channel, the newest first."""
        return readers[key.channel].read_run_page(query)

    @api.get(_RUN, openapi_extra=guard("runs:read", "runs:write"))
    def get_run(key: Key, run_id: _RunId) -> run_shapes.RunState:
        """A run and its received attempts."""
        return receiver.read_run_state(key, run_id)

    @api.get(
        f"{_RUN}/record",
        response_model=Run,
        openapi_extra=guard("runs:read"),
    )
    def get_record(key: Key, run_id: _RunId) -> Response:
        """The record of a run that has ended."""
        run = receiver.read_run_record(key, run_id)
        return Response(encode_run(run), media_type="application/json")

    @api.get(
        "/api/scores",
        openapi_extra=guard("runs:read"),
    )
    def list_scores(key: Key, query: Annotated[RunFilter, Query()]) -> ScoreList:
        """The leaderboards over the runs of the key's channel."""
        return readers[key.channel].list_scores(query)

    add_session_operations(api, data)

    @api.get(DOCUMENT, openapi_extra=guard())
    def get_document() -> dict[str, Any]:
        """This document."""
        return build_openapi_document(api)

    @api.get("/api/docs", **_answer_with("text/html"))
    def get_page() -> Response:
        """This document as a page."""
        page = render_document_page(build_openapi_document(api))
        return Response(page, headers=_POLICY, media_type="text/html")

    @api.get("/api/docs/style.css", **_answer_with("text/css"))
    def get_style() -> Response:
        """The style sheet of the page."""
        return Response(read_style_sheet(), media_type="text/css")

    return api


def _answer_with(media_type: str) -> dict[str, Any]:
    """Return the arguments of a route to a file that needs no key."""
    file: dict[str, Any] = {"content": {media_type: {"schema": {}}}}
    return {"response_class": Response, "responses": {200: file}, "openapi_extra": guard()}


def mount_api(data: DataFolder) -> list[BaseRoute]:
    """Return the routes of another application to the API; its site keeps other addresses."""
    api = build_api_app(data, hosts=None)
    paths = [route.path for route in api.routes if isinstance(route, GuardedRoute)]
    roots = dict.fromkeys("/".join(path.split("/")[:3]) for path in paths)
    return [Route(path, api) for root in roots for path in (root, f"{root}/{{rest:path}}")]


def deployed() -> FastAPI:
    """Return the API alone, with the data folder and the host names from the environment.

    The variables are LEADERBOARD_DATA and LEADERBOARD_HOSTS, whose names are separated by commas.
    """
    hosts = [host.strip() for host in os.environ.get("LEADERBOARD_HOSTS", "").split(",")]
    data = DataFolder(Path(os.environ.get("LEADERBOARD_DATA", "data")))
    return build_api_app(data, hosts=[host for host in hosts if host])
