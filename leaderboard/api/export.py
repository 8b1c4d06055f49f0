"""The operation `GET /api/export`: labelled sessions as files, and the counts of such a file.

curl -H "Authorization: Bearer osk_..." "http://127.0.0.1:8000/api/export?format=openai&tag=auth"
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field
from starlette.responses import Response, StreamingResponse

from leaderboard.api.errors import BadParameterError, ContradictionError, NotThereError
from records.files.name_patterns import DATASET_NAME
from records.sessions.session import EvalStatus
from records.shapes.base import Count, OutsideText, Record, SessionId
from review.audit.audit_progress import AuditTasks
from review.datasets import VersionedSession, read_dataset_version, read_members
from review.errors import DatasetError, FilterError, LostLabelsError, MissingPackageError
from review.exports.export_plan import ExportPlan
from review.exports.formats import FORMATS, ExportCounts, format_named
from review.exports.rows import ExportOptions, parse_context
from review.exports.task import ExportTask
from review.index.session_index import SessionIndex
from review.selection import SessionSelection
from review.store import SessionStore

HEADERS: Final[Mapping[str, str]] = {
    "Export-Sessions": "sessions that were read",
    "Export-Rows": "rows of the file",
    "Export-Left-Out": "turns and sessions without a row",
    "Export-Not-Ready": "sessions that the query selects, but that are not marked eval-ready",
    "Export-Cut": "messages and calls that were cut from conversations",
    "Export-Unreadable": "sessions that were not exported, as their files are damaged or changed",
    "Export-Lookalikes": "strings in the file that look like secrets",
    "Export-Size": "bytes of the file, estimated",
}
"""The headers of the answer with a file, each with the things that it counts."""
_MOST_IDS: Final = 500


def _add_format_choices(schema: dict[str, Any]) -> None:
    schema["enum"] = list(FORMATS)


def _check_format(name: str) -> str:
    try:
        format_named(name)
    except FilterError as error:
        raise ValueError(str(error).removeprefix("format: ")) from error
    return name


class ExportQuery(Record):
    """The sessions to export, and the format; only labelled examples are exported."""

    format: Annotated[
        str, AfterValidator(_check_format), Field(json_schema_extra=_add_format_choices)
    ] = "deepeval"
    """The program that loads the file."""
    ids: Annotated[tuple[SessionId, ...], Field(max_length=_MOST_IDS)] = ()
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
    limit: Annotated[int, Field(ge=1, le=999_999_999)] | None = None
    """The most rows."""


class ExportSummary(Record):
    """The contents of a file, counted before it is written."""

    sessions: Count
    """The number of sessions that were read."""
    rows: Count
    """The number of rows of the file."""
    size: Count
    """The estimated number of bytes of the file."""
    left_out: Mapping[str, Count]
    """The numbers of turns and sessions without a row, by the reason."""
    not_ready: Count
    """The number of sessions that the query selects, but that are not marked eval-ready."""
    cut: Mapping[str, Count]
    """The numbers of messages and calls that were cut from conversations, by the reason."""
    lost: Mapping[str, tuple[OutsideText, ...]]
    """For each session, why an expected output is in no row. Such a file is refused with 409."""
    lookalikes: Count
    """The number of strings in the file that look like secrets; each counts once per session."""
    unreadable: tuple[str, ...]
    """The ids of sessions that were not exported, as their files are damaged, changed or gone."""


class SessionExports:
    """The exports of a store of sessions."""

    def __init__(self, store: SessionStore) -> None:
        """Store ``store``; nothing is read yet."""
        self._store = store
        self._index = SessionIndex(store)

    def count_export(self, query: ExportQuery) -> ExportSummary:
        """Return the counts of the file for a query, without making the file.

        Raises:
            NotThereError: there is no such session or version.
        """
        task = self._build_task(query)
        plan = task.make_export_plan()
        counts = plan.counts
        return ExportSummary(
            sessions=counts.sessions,
            rows=counts.rows,
            size=plan.size,
            left_out=dict(sorted(counts.skipped.items())),
            not_ready=self._count_not_ready(task),
            cut=dict(sorted(counts.cut.items())),
            lost={name: tuple(reasons) for name, reasons in counts.lost.items()},
            lookalikes=counts.lookalikes.count,
            unreadable=tuple(problem.path.name.partition(".")[0] for problem in counts.problems),
        )

    def stream_file(self, query: ExportQuery) -> Response:
        """Return the file for a query, which is made and sent with one row in memory at a time.

        Raises:
            NotThereError: there is no such session or version.
            BadParameterError: the format needs a package that is not installed.
            ContradictionError: an expected output would be in no row.
        """
        task = self._build_task(query)
        plan = task.make_export_plan()
        if plan.counts.lost:
            raise ContradictionError(str(LostLabelsError([*plan.counts.lost])))
        try:
            pieces = task.encode_file(plan, ExportCounts())
        except MissingPackageError as error:
            raise BadParameterError(str(error), "format") from error
        name = f"sessions-{query.format}{task.form.suffix}"
        return StreamingResponse(
            pieces,
            media_type=task.form.media_type,
            headers={
                "Content-Disposition": f'attachment; filename="{name}"',
                **_build_headers(plan, self._count_not_ready(task)),
            },
        )

    def _count_not_ready(self, task: ExportTask) -> int:
        """Return the number of sessions that only the missing mark eval-ready keeps out."""
        selection = replace(task.selection, ready=False)
        if task.version is None:
            return len(self._index.list_ids(selection))
        members = read_members(self._store, task.version, selection)
        return sum(isinstance(member, VersionedSession) for member in members)

    def _build_task(self, query: ExportQuery) -> ExportTask:
        try:
            version = None
            if query.version is not None:
                version = read_dataset_version(self._store.folder, query.version)
        except DatasetError as error:
            raise NotThereError(str(error), "version") from error
        selection = SessionSelection(
            ids=frozenset(query.ids),
            statuses=frozenset({query.status} if query.status else ()),
            tags=frozenset({query.tag} if query.tag is not None else ()),
            ready=True,
            without=AuditTasks(self._store).group_ids(None).hidden,
        )
        if query.ids and version is None:
            selection_by_id = SessionSelection(
                ids=selection.ids, ready=True, without=selection.without
            )
            session_ids = {*self._index.list_ids(selection_by_id), *self._index.list_unreadable()}
            if unknown := sorted(selection.ids - session_ids):
                reason = f"ids: no session for export has the id {unknown[0]}"
                raise NotThereError(reason, "ids")
        options = ExportOptions(
            parts=query.turns, context=parse_context(query.context), limit=query.limit
        )
        form = FORMATS[query.format]
        return ExportTask(self._store, selection, form, options, version, self._index)


def _build_headers(plan: ExportPlan, not_ready: int) -> dict[str, str]:
    counts = plan.counts
    values = (
        counts.sessions,
        counts.rows,
        counts.skipped.total(),
        not_ready,
        counts.cut.total(),
        len(counts.problems),
        counts.lookalikes.count,
        plan.size,
    )
    return dict(zip(HEADERS, map(str, values), strict=True))
