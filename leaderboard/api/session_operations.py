"""The operations of the API on sessions: reading, labelling, exports, and comparisons."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Path, Query
from pydantic import AfterValidator, BeforeValidator, Field
from starlette.responses import Response, StreamingResponse

from generator.scores.intervals import compute_session_interval
from leaderboard.api.guarded_routes import guard
from leaderboard.api.run_shapes import DIGITS, ApiError
from leaderboard.api.session_labels import add_label_operations
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.files.name_patterns import DATASET_NAME
from records.sessions.asked import MetricName, ModelComparison
from records.sessions.session import EvalStatus
from records.shapes import base
from review.audits import AuditTasks
from review.comparisons import ComparedRow, ComparisonStore, make_comparison_rows
from review.datasets import VersionedSession, read_dataset_version, read_members
from review.errors import DatasetError, FilterError, MissingPackageError
from review.exports.formats import FORMATS, ExportCounts, format_named
from review.exports.prepared import ExportOptions, parse_context
from review.exports.task import ExportPlan, ExportTask
from review.index.session_index import SessionIndex
from review.selection import SessionSelection
from review.store import SessionStore

_MOST_IDS = 500


def _check_format(name: str) -> str:
    try:
        format_named(name)
    except FilterError as error:
        raise ValueError(str(error).removeprefix("format: ")) from error
    return name


class ExportQuery(base.Record):
    """The sessions to export, and the format; only labelled examples are exported."""

    format: Annotated[
        str, AfterValidator(_check_format), Field(json_schema_extra={"enum": [*FORMATS]})
    ] = "deepeval"
    """The program that loads the file."""
    ids: Annotated[
        tuple[base.SessionId, ...],
        Field(max_length=_MOST_IDS),
        BeforeValidator(lambda values: [part for value in values for part in value.split(",")]),
    ] = ()
    """Only sessions with these ids; the parameter may be repeated."""
    status: EvalStatus | None = None
    """Only sessions of this status."""
    tag: str | None = None
    """Only sessions with this tag."""
    version: Annotated[str, Field(pattern=DATASET_NAME)] | None = None
    """The sessions of this version of a dataset, with the labels that it has."""
    turns: Literal["turns", "last"] = "turns"
    """A row for each turn, or only for the last answered turn of a session."""
    context: Annotated[str, Field(pattern="^(all|none|[0-9]{1,6})$")] = "all"
    """The most messages before a request."""
    limit: Annotated[int, Field(ge=1, le=999_999_999), DIGITS] | None = None
    """The most rows."""


class ExportSummary(base.Record):
    """The contents of a file, counted before it is written."""

    sessions: base.Count
    """The number of sessions that were read."""
    rows: base.Count
    """The number of rows of the file."""
    size: base.Count
    """The estimated number of bytes of the file."""
    left_out: Mapping[str, base.Count]
    """The numbers of turns and sessions without a row, by the reason."""
    not_ready: base.Count
    """The number of sessions that the query selects, but that are not marked eval-ready."""
    cut: Mapping[str, base.Count]
    """The numbers of messages and calls that were cut from conversations, by the reason."""
    lost: Mapping[str, tuple[base.OutsideText, ...]]
    """For each session, why an expected output is in no row. Such a file is refused with 409."""
    lookalikes: base.Count
    """The number of strings in the file that look like secrets; each counts once per session."""
    unreadable: tuple[str, ...]
    """The ids of sessions that were not exported, as their files are damaged, changed or gone."""


def name_header(field: str) -> str:
    """Return the header of the answer with a file that has a count of the summary."""
    return f"Export-{field.replace('_', '-').title()}"


def _build_task(store: SessionStore, index: SessionIndex, query: ExportQuery) -> ExportTask:
    try:
        name = query.version
        version = None if name is None else read_dataset_version(store.folder, name)
    except DatasetError as error:
        raise ApiError(404, str(error), "version") from error
    selection = SessionSelection(
        ids=frozenset(query.ids),
        statuses=frozenset({query.status} if query.status else ()),
        tags=frozenset({query.tag} if query.tag is not None else ()),
        ready=True,
        without=AuditTasks(store).group_ids(None).hidden,
    )
    if query.ids and version is None:
        selection_by_id = replace(selection, statuses=frozenset(), tags=frozenset())
        session_ids = {*index.list_ids(selection_by_id), *index.list_unreadable()}
        if unknown := sorted(selection.ids - session_ids):
            reason = f"ids: no session for export has the id {unknown[0]}"
            raise ApiError(404, reason, "ids")
    options = ExportOptions(
        parts=query.turns, context=parse_context(query.context), limit=query.limit
    )
    form = FORMATS[query.format]
    return ExportTask(store, selection, form, options, version, index)


def _summarize_export(task: ExportTask, plan: ExportPlan, index: SessionIndex) -> ExportSummary:
    counts = plan.counts
    # The sessions that only the missing mark eval-ready keeps out.
    selection = replace(task.selection, ready=False)
    if task.version is None:
        not_ready = len(index.list_ids(selection))
    else:
        members = read_members(task.store, task.version, selection)
        not_ready = sum(isinstance(member, VersionedSession) for member in members)
    return ExportSummary(
        sessions=counts.sessions,
        rows=counts.rows,
        size=plan.size,
        left_out=dict(sorted(counts.skipped.items())),
        not_ready=not_ready,
        cut=dict(sorted(counts.cut.items())),
        lost={name: tuple(reasons) for name, reasons in counts.lost.items()},
        lookalikes=counts.lookalikes.count,
        unreadable=tuple(problem.path.name.partition(".")[0] for problem in counts.problems),
    )


class ShownComparison(base.Record):
    """A comparison in short."""

    comparison_id: base.RunId
    """The id of the comparison."""
    began_at: base.Moment
    """The time of its start."""
    metric: MetricName
    """The metric by which answers get their scores."""
    sessions: base.Count
    """The number of sessions that each model is asked about."""
    missing: base.Count
    """The number of answers that have not come yet."""
    models: tuple[ComparedRow, ...]
    """The results of each model, in the order of the record."""


class ComparisonList(base.Record):
    """Comparisons, the newest first."""

    comparisons: tuple[ShownComparison, ...]
    """All comparisons."""


_ComparisonId = Annotated[base.RunId, Path(description="The comparison.")]


def add_session_operations(api: FastAPI, data: DataFolder) -> None:
    """Add the operations on the sessions of a data folder."""
    store = SessionStore(data)
    add_label_operations(api, store)
    index, comparisons = SessionIndex(store), ComparisonStore(data.local)
    fields = ExportSummary.model_json_schema()["properties"].items()
    headers = " ".join(
        f"{name_header(name)}: {field['description']}" for name, field in fields if name != "lost"
    )
    media_types = sorted({form.media_type.split(";")[0] for form in FORMATS.values()})
    content: dict[str, Any] = {media_type: {"schema": {}} for media_type in media_types}

    @api.get(
        "/api/export",
        response_class=Response,
        responses={200: {"description": f"The file. Headers: {headers}", "content": content}},
        openapi_extra=guard("sessions:read", refusals=(404, 409)),
    )
    def export_sessions(query: Annotated[ExportQuery, Query()]) -> Response:
        """Labelled sessions as a file that other programs load."""
        task = _build_task(store, index, query)
        plan = task.make_export_plan()
        if plan.counts.lost:
            raise ApiError(409, plan.counts.describe_lost())
        try:
            pieces = task.encode_file(plan, ExportCounts())
        except MissingPackageError as error:
            raise ApiError(400, str(error), "format") from error
        summary = _summarize_export(task, plan, index)
        name = f"sessions-{query.format}{task.form.suffix}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        # A file with lost labels is refused.
        numbers = summary.model_dump(exclude={"lost", "unreadable"})
        for field, value in numbers.items():
            number = value if isinstance(value, int) else sum(value.values())
            headers[name_header(field)] = str(number)
        headers[name_header("unreadable")] = str(len(summary.unreadable))
        return StreamingResponse(pieces, media_type=task.form.media_type, headers=headers)

    @api.get("/api/export/counts", openapi_extra=guard("sessions:read", refusals=(404,)))
    def count_export(query: Annotated[ExportQuery, Query()]) -> ExportSummary:
        """The contents of such a file, and what is left out of it."""
        task = _build_task(store, index, query)
        return _summarize_export(task, task.make_export_plan(), index)

    @api.get("/api/comparisons", openapi_extra=guard("sessions:read"))
    def list_comparisons() -> ComparisonList:
        """Comparisons of models on golden sessions, the newest first, with their results."""
        shown: list[ShownComparison] = []
        for comparison in comparisons.list_comparisons():
            events = comparisons.read_log(comparison.comparison_id)
            rows = make_comparison_rows(comparison, events, compute_session_interval)
            shown.append(
                ShownComparison(
                    comparison_id=comparison.comparison_id,
                    began_at=comparison.began_at,
                    metric=comparison.metric,
                    sessions=len(comparison.items),
                    missing=len(comparison.items) * len(rows) - sum(row.answers for row in rows),
                    models=tuple(rows),
                )
            )
        return ComparisonList(comparisons=tuple(shown))

    @api.get("/api/comparisons/{comparison_id}", openapi_extra=guard("sessions:read"))
    def get_comparison(comparison_id: _ComparisonId) -> ModelComparison:
        """The record of a comparison: prompts, models, answers, scores, costs."""
        try:
            return comparisons.read(comparison_id)
        except MissingRecordError as error:
            raise ApiError(404, "there is no such comparison", "comparison_id") from error
