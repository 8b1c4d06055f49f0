"""The API: an application for the preview server, which can also be deployed alone.

`uvicorn --factory leaderboard.api.app:deployed` serves the application; see `docs/hosting.md`. Runs
and leaderboards are kept in memory while their files are unchanged.
"""

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Generic, TypeVar

from fastapi import FastAPI, Query
from fastapi import Path as PathPart
from pydantic import Field
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from generator.read.run_summaries import RecordsFolder, summarize_run
from generator.read.summaries import FiledReport, RunSummary, Summaries
from generator.scores.leaderboards import Leaderboard, build_leaderboards
from generator.site_data import sort_reports
from generator.tables.published_tables import LeaderboardRow, build_leaderboard_rows
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
from leaderboard.api.receiver import KnownRun, Receiver, build_run_brief
from leaderboard.api.session_operations import add_session_operations
from leaderboard.request_guards import HostGuard
from records import reader
from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import DataFolder
from records.files.name_patterns import BENCHMARK_ID, RUN_ID
from records.files.plain_files import read_stamp
from records.shapes.attempt import AttemptKey
from records.shapes.base import BenchmarkId, ExperimentName, ModelSlug, Record, RunId
from records.shapes.run import Run
from records.suites.benchmark import Benchmark
from records.text.visible import make_one_line
from records.writer import encode_run

_LOG = logging.getLogger(__name__)
Kept = TypeVar("Kept")


class RunFilter(Record):
    """A selection of the runs of the key's channel."""

    model: ModelSlug | None = None
    """Only runs of this model."""
    experiment: ExperimentName | None = None
    """Only runs under this experiment."""
    benchmark: BenchmarkId | None = None
    """Only runs of this benchmark version."""

    def admits(self, row: run_shapes.RunBrief | LeaderboardRow) -> bool:
        """Return whether the row belongs to a selected run."""
        return (
            self.model in {None, row.model}
            and self.experiment in {None, row.experiment}
            and self.benchmark in {None, row.benchmark_version}
        )


class RunsQuery(RunFilter):
    """A page of the list of runs."""

    limit: Annotated[int, Field(ge=1, le=1000), run_shapes.DIGITS] = 100
    """The most runs of a page."""
    after: RunId | None = None
    """Only runs after this run in the list; the value is the `after` of the page before."""


class Stamped(Generic[Kept]):
    """A cache of values made from files, by their size, mtime and inode."""

    def __init__(self, make: Callable[[Path], Kept]) -> None:
        """Store ``make``, which returns the value of a file."""
        self._make = make
        self._turn = Lock()
        self._kept: dict[Path, tuple[str, Kept | None]] = {}

    def read_files(self, paths: Iterable[Path]) -> dict[Path, Kept]:
        """Return the value of each existing file; invalid files are logged and left out."""
        with self._turn:
            entries: dict[Path, tuple[str, Kept | None]] = {}
            for path in paths:
                if (stamp := read_stamp(path)) is None:
                    continue
                entry = self._kept.get(path)
                if entry is None or entry[0] != stamp:
                    entry = stamp, self._read(path)
                entries[path] = entry
            self._kept = entries
        return {path: value for path, (_, value) in entries.items() if value is not None}

    def _read(self, path: Path) -> Kept | None:
        try:
            return self._make(path)
        except MissingRecordError:  # removed meanwhile
            return None
        except InvalidRecordError as error:
            _LOG.warning("%s", make_one_line(f"left out: {error}"))
            return None


class ScoreList(Record):
    """Rows of the leaderboards, as on the site."""

    scores: tuple[LeaderboardRow, ...]
    """The rows, sorted by benchmark version, then by rank."""


class RunReader:
    """A reader of the runs and leaderboards of a channel; only changed files are read again."""

    def __init__(self, receiver: Receiver, channel: run_shapes.Channel) -> None:
        """Store ``receiver``, whose unfinished runs are also listed, and the channel."""
        self._channel: run_shapes.Channel = channel
        self._receiver = receiver
        self._folder = receiver.get_folder(channel)
        self._published = receiver.get_folder("production")
        self._runs = Stamped(self._read_run)
        self._registry = Stamped(reader.read_registry)
        self._benchmarks = Stamped(reader.read_benchmark)
        self._reports = Stamped(self._read_report)
        self._known: dict[str, Leaderboard] = {}
        self._turn = Lock()

    def _read_run(self, path: Path) -> tuple[run_shapes.RunBrief, RunSummary]:
        run = reader.read_run(path)
        known = KnownRun(channel=self._channel, sent_by=None, run=run)
        return build_run_brief(known, run.attempts), summarize_run(run)

    def _read_report(self, path: Path) -> FiledReport:
        data = reader.read_bytes(path)
        report, digest = reader.parse_report(path, data), sha256(data).hexdigest()
        return FiledReport(path, report, self._channel == "development", digest)

    def read_run_page(self, query: RunsQuery) -> run_shapes.RunList:
        """Return the page of runs for a query, the newest run first.

        Raises:
            ApiError: 404, `after` is not a run of the list.
        """
        recorded = self._runs.read_files(self._folder.list_run_files()).values()
        receiving = list(self._receiver.list_unfinished(self._channel))
        going = {row.run_id for row in receiving}
        rows = [*receiving, *(row for row, _ in recorded if row.run_id not in going)]
        matches = [row for row in rows if query.admits(row)]
        # Of the runs of a day, those whose time was not published are the oldest.
        matches.sort(
            key=lambda row: (row.date, str(row.started_at or ""), row.run_id), reverse=True
        )
        if query.after is not None:
            indexes = [index for index, row in enumerate(matches) if row.run_id == query.after]
            if not indexes:
                raise run_shapes.ApiError(404, "after: is no run of this list", "after")
            matches = matches[indexes[0] + 1 :]
        page = matches[: query.limit]
        more = len(matches) > len(page)
        return run_shapes.RunList(runs=tuple(page), after=page[-1].run_id if more else None)

    def list_scores(self, query: RunFilter) -> ScoreList:
        """Return the rows of the leaderboards that a query selects."""
        with self._turn:
            versions = self._benchmarks.read_files(
                path
                for folder in dict.fromkeys((self._published, self._folder))
                for path in folder.benchmarks.list_files()
            )
            names = {
                model.slug: (model.name, model.provider)
                for registry in self._registry.read_files([self._published.models_file]).values()
                for model in registry.by_slug.values()
            }
            is_local = self._channel == "development"
            folder = RecordsFolder(str(self._folder.root), is_local, frozenset(), names)
            read = self._runs.read_files(self._folder.list_run_files()).values()
            runs = [folder.place(summary) for _, summary in read]
            reports = self._reports.read_files(self._folder.list_report_files()).values()
            summaries = Summaries(
                benchmarks={version.version: version for version in versions.values()},
                runs=sorted(runs, key=lambda run: (run.date, run.run_id), reverse=True),
                reports=sort_reports(
                    report for report in reports if is_local or not report.report.draft
                ),
                registry={},
                trials=(),
            )
            self._known = build_leaderboards(summaries, {}, self._known)
            boards = list(self._known.values())
        rows = [row for board in boards for row in build_leaderboard_rows(board)]
        return ScoreList(scores=tuple(row for row in rows if query.admits(row)))


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
