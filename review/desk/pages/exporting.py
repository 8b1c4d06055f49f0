"""The export dialog: counts, reasons for parts left out, size, first rows, and the file."""

from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, cast
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

from records.files.data_folder import decode_slug
from review.audits import AuditedIds
from review.datasets import read_dataset_version
from review.desk.desk import ROOT, Desk, render_page
from review.desk.filters import parse_selection
from review.errors import DatasetError, FilterError, MissingPackageError
from review.exports.formats import FORMATS, ExportCounts, ExportFormat, format_named
from review.exports.prepared import ExportOptions, parse_context
from review.exports.task import SHORT_CONTEXT, ExportTask, in_megabytes
from review.selection import SessionSelection

_CHOICES = {
    "redact": ("yes", "no"),
    "system": ("yes", "no"),
    "tools": ("yes", "no"),
    "parts": ("turns", "last"),
    "examples": ("yes", "no"),
    "others": ("no", "yes"),
}
"""The values of parameters of the dialog that have only a few; the first is the default."""
_CONTEXTS = ("all", "50", "10", "none")
"""Numbers of messages before a request in the dialog; an address may have other numbers."""
_FREE = {"format": "deepeval", "context": "all", "version": ""}
"""The defaults of the other parameters of the dialog."""
_ROWS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class AskedExport:
    """The export in an address of the dialog."""

    chosen: dict[str, str]
    """The value of each parameter of the dialog."""
    filter: SessionSelection
    """The filter in the address."""
    options: ExportOptions

    @property
    def form(self) -> ExportFormat:
        """The format."""
        return FORMATS[self.chosen["format"]]

    @property
    def selection(self) -> SessionSelection:
        """The sessions to export: only eval-ready sessions, unless the form selects all."""
        return replace(self.filter, ready=True) if self.chosen["examples"] == "yes" else self.filter

    def build_task(self, desk: Desk, audited: AuditedIds) -> ExportTask:
        """Return the export, without the sessions that the reviewer is to judge for audits.

        Raises:
            FilterError: there is no such version.
        """
        name = self.chosen["version"]
        try:
            version = read_dataset_version(desk.store.folder, name) if name else None
        except DatasetError as error:
            raise FilterError(f"version: {error}") from error
        selection = audited.restrict_selection(self.selection)
        return ExportTask(
            desk.store, selection, self.form, self.options, version=version, index=desk.index
        )


def render_export_page(desk: Desk, query: str) -> Response:
    """Return the dialog with the plan of the export."""
    export, audited = _parse_query(query), desk.labels.group_ids()
    task = export.build_task(desk, audited)
    plan = task.make_export_plan()
    pieces = task.format_file(plan, ExportCounts()) if plan.counts.rows else ()
    folder = desk.store.folder.local
    return render_page(
        desk,
        "export.html",
        title="Export",
        asked=export,
        chosen=export.filter,
        choices=_CHOICES,
        contexts=list(dict.fromkeys([*_CONTEXTS, export.chosen["context"]])),
        versions=[decode_slug(path.stem) for path in folder.datasets.list_files()],
        formats=FORMATS,
        plan=plan,
        size=in_megabytes(plan.size),
        short=SHORT_CONTEXT,
        rows=[text.strip("\n,") for text in islice(pieces, 1, 1 + _ROWS_SHOWN)],
        here=f"{ROOT}export",
        facets=desk.index.list_facets(),
        drawn=len(audited.waiting),
    )


def export_file(desk: Desk, query: str) -> Response:
    """Return the file, with the rows that the dialog counted if no label changed since.

    Raises:
        HTTPException: 409, an expected output would be in no row, and the address does not confirm
            the export of the others.
    """
    export = _parse_query(query)
    task = export.build_task(desk, desk.labels.group_ids())
    plan = task.make_export_plan()
    if plan.counts.lost and export.chosen["others"] == "no":
        raise HTTPException(409, plan.counts.describe_lost())
    try:
        pieces = task.encode_file(plan, ExportCounts())
    except MissingPackageError as error:
        raise FilterError(f"format: {error}") from error
    name = f"sessions-{export.chosen['format']}{export.form.suffix}"
    return StreamingResponse(
        pieces,
        media_type=export.form.media_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _parse_query(query: str) -> AskedExport:
    """Return the export in the query of an address.

    Raises:
        FilterError: a parameter is unknown, repeated or wrong.
    """
    filtered = parse_selection(query, also=(*_CHOICES, *_FREE))
    parameters = dict(parse_qsl(query))
    if filtered.ready is not None:
        # Lists of eval-ready sessions link here with this parameter; the dialog has its own.
        parameters["examples"] = "yes" if filtered.ready else "no"
        filtered = replace(filtered, ready=None)
    elif filtered.ids or parameters.get("version"):
        parameters.setdefault("examples", "no")  # ids select sessions that are not eval-ready, too
    for name, choices in _CHOICES.items():
        if parameters.setdefault(name, choices[0]) not in choices:
            raise FilterError(f"{name}: must be one of {', '.join(choices)}")
    chosen = {name: parameters.get(name, usual) for name, usual in _FREE.items()}
    chosen |= {name: parameters[name] for name in _CHOICES}
    format_named(chosen["format"])
    try:
        context = parse_context(chosen["context"])
    except ValueError as error:
        raise FilterError(f"context: {error}") from error
    options = ExportOptions(
        redact=chosen["redact"] == "yes",
        system_prompts=chosen["system"] == "yes",
        text_only=chosen["tools"] == "no",
        parts=cast("Literal['turns', 'last']", chosen["parts"]),
        context=context,
    )
    return AskedExport(chosen, filtered, options)
