"""Exports of sessions that stand in no store."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from review.exports.formats import (
    Exportable,
    ExportCounts,
    ExportFormat,
    pieces_of,
    rows_of,
    text_of,
)
from review.exports.rows import ExportOptions


def exported(
    sessions: Iterable[Exportable],
    form: ExportFormat,
    options: ExportOptions,
    counts: ExportCounts,
    repeated: Mapping[str, Collection[int]] | None = None,
) -> Iterator[str]:
    """Yield the text of an export piece by piece; arguments as of `rows_of`."""
    return text_of(rows_of(sessions, form, options, counts, repeated), form)


def file_pieces(
    sessions: Iterable[Exportable],
    form: ExportFormat,
    options: ExportOptions,
    counts: ExportCounts,
) -> Iterator[bytes]:
    """Yield the bytes of the file of an export piece by piece; arguments as of `rows_of`."""
    return pieces_of(rows_of(sessions, form, options, counts), form)
