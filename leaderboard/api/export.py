"""`GET /api/export`: labelled sessions as files, for whoever has a key.

curl -H "Authorization: Bearer osk_..." "http://127.0.0.1:8000/api/export?format=openai&tag=auth"
"""

from typing import Annotated, Any

from pydantic import Field
from starlette.responses import Response, StreamingResponse

from leaderboard.api.errors import BadParameterError
from records.base import Record
from records.session import EvalStatus
from review.audit.progress import AuditTasks
from review.errors import MissingPackageError
from review.exports.formats import FORMATS, ExportCounts, file_pieces
from review.exports.rows import ExportOptions
from review.selection import SessionSelection
from review.store import SessionStore


def _formats(schema: dict[str, Any]) -> None:
    schema["enum"] = list(FORMATS)


class ExportQuery(Record):
    """Which sessions, and in which format; only examples are exported."""

    format: Annotated[
        str,
        Field(
            pattern="^(" + "|".join(FORMATS) + ")$",
            json_schema_extra=_formats,
        ),
    ] = "deepeval"
    """The program that loads the file."""
    status: EvalStatus | None = None
    """Only sessions of this status."""
    tag: str | None = None
    """Only sessions with this tag."""
    limit: Annotated[int, Field(ge=1, le=999_999_999)] | None = None
    """At most so many sessions."""


def export_file(store: SessionStore, query: ExportQuery) -> Response:
    """Return the file that a query asks for, as it is made: few sessions in memory at a time.

    Raises:
        BadParameterError: the format needs a package that is not installed here.
    """
    form = FORMATS[query.format]
    selection = SessionSelection(
        statuses=frozenset({query.status} if query.status else ()),
        tags=frozenset({query.tag} if query.tag is not None else ()),
        limit=query.limit,
        ready=True,
        without=frozenset(AuditTasks(store).waiting(None)),
    )
    try:
        pieces = file_pieces(selection.of(store), form, ExportOptions(), ExportCounts())
    except MissingPackageError as error:
        raise BadParameterError(str(error), "format") from error
    return StreamingResponse(
        pieces,
        media_type=form.media_type,
        headers={
            "Content-Disposition": f'attachment; filename="sessions-{query.format}{form.suffix}"'
        },
    )
