"""The export dialog: exact counts, reasons of what is left out, the first rows, the file."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal, cast
from urllib.parse import parse_qsl, urlencode

from starlette.responses import Response, StreamingResponse

from records.errors import RecordsError
from records.session import Session
from review.desk.filters import query_of, selection_of
from review.desk.pages import ROOT, Desk, page
from review.errors import FilterError, MissingPackageError
from review.exports.formats import FORMATS, ExportCounts, exported, file_pieces
from review.exports.rows import ExportOptions
from review.selection import SessionSelection

_CHOICES: Final = {
    "format": tuple(FORMATS),
    "redact": ("yes", "no"),
    "system": ("yes", "no"),
    "tools": ("yes", "no"),
    "parts": ("turns", "last"),
    "examples": ("yes", "no"),
}
"""Parameters of the dialog; the first choice is the one that nobody has to make."""
_ROWS_SHOWN: Final = 3
_LONGEST_ROW: Final = 4_000


@dataclass(frozen=True, slots=True)
class AskedExport:
    """What the dialog's address asks for."""

    chosen: dict[str, str]
    """A choice for each parameter of the dialog."""
    filter: SessionSelection
    """As it stands in the address."""

    @property
    def selection(self) -> SessionSelection:
        """The sessions to export: eval-ready ones, where others are not asked for."""
        return replace(self.filter, ready=True) if self.chosen["examples"] == "yes" else self.filter

    @property
    def options(self) -> ExportOptions:
        """How they are exported."""
        return ExportOptions(
            redact=self.chosen["redact"] == "yes",
            system_prompts=self.chosen["system"] == "yes",
            text_only=self.chosen["tools"] == "no",
            parts=cast("Literal['turns', 'last']", self.chosen["parts"]),
        )

    @property
    def query(self) -> str:
        """The query of an address that asks for the same."""
        here = query_of(self.filter)
        return f"{here or '?'}{'&' if here else ''}{urlencode(self.chosen)}"


def export_page(desk: Desk, query: str) -> Response:
    """Return the dialog with what the export would hold now."""
    asked = _asked(query)
    form = FORMATS[asked.chosen["format"]]
    audited = desk.audited()
    selection = audited.left_out_of(asked.selection)
    counts = ExportCounts()
    # No row comes or goes by taking secrets out, which is what takes time.
    plain = replace(asked.options, redact=False)
    for _ in exported(_sessions(desk, selection), form, plain, counts):
        pass
    first = exported(_sessions(desk, selection), form, asked.options, ExportCounts())
    rows = [one.strip("\n,") for one in islice(first, 1, 1 + _ROWS_SHOWN)] if counts.rows else []
    return page(
        desk,
        "export.html",
        title="Export",
        asked=asked,
        chosen=asked.filter,
        choices=_CHOICES,
        formats=FORMATS,
        form=form,
        counts=counts,
        left_out=sorted(counts.skipped.items()),
        rows=[(one[:_LONGEST_ROW], max(0, len(one) - _LONGEST_ROW)) for one in rows],
        download=f"{ROOT}export/file{asked.query}",
        here=f"{ROOT}export",
        facets=desk.index.facets(),
        drawn=len(audited.waiting),
    )


def export_file(desk: Desk, query: str) -> Response:
    """Return the file: the rows that the dialog counted, as long as no label changed."""
    asked = _asked(query)
    name = asked.chosen["format"]
    form = FORMATS[name]
    sessions = _sessions(desk, desk.audited().left_out_of(asked.selection))
    try:
        pieces = file_pieces(sessions, form, asked.options, ExportCounts())
    except MissingPackageError as error:
        raise FilterError(f"format: {error}") from error
    return StreamingResponse(
        pieces,
        media_type=form.media_type,
        headers={"Content-Disposition": f'attachment; filename="sessions-{name}{form.suffix}"'},
    )


def _asked(query: str) -> AskedExport:
    """Return what an address asks for.

    Raises:
        FilterError: a parameter is unknown, repeated or wrong.
    """
    chosen = selection_of(query, also=tuple(_CHOICES))
    given = dict(parse_qsl(query))
    for name, choices in _CHOICES.items():
        if given.setdefault(name, choices[0]) not in choices:
            raise FilterError(f"{name}: must be one of {', '.join(choices)}")
    if chosen.ids and "examples=" not in query:
        given["examples"] = "no"  # whoever chose sessions one by one means these
    if chosen.ready is not None:
        # Lists of eval-ready sessions lead here with it; the dialog has a choice of its own.
        given["examples"] = "yes" if chosen.ready else "no"
        chosen = replace(chosen, ready=None)
    return AskedExport({name: given[name] for name in _CHOICES}, chosen)


def _sessions(desk: Desk, selection: SessionSelection) -> Iterator[Session]:
    """Yield the selected sessions; the files decide, should the index have just become older."""
    for session_id in desk.index.ids(selection):
        try:
            session = desk.store.read(session_id).session
        except RecordsError:
            continue  # it went, or was damaged, since the index was asked
        if selection.takes(session):
            yield session
