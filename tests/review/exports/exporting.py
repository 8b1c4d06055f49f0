"""Exports of sessions that stand in no store."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from review.exports.formats import (
    Exportable,
    ExportCounts,
    ExportFormat,
    encode_rows,
    format_rows,
    make_rows,
)
from review.exports.prepared import ExportOptions


def format_export(
    sessions: Iterable[Exportable],
    form: ExportFormat,
    options: ExportOptions,
    counts: ExportCounts,
    repeated: Mapping[str, Collection[int]] | None = None,
) -> Iterator[str]:
    """Yield the text of an export piece by piece; arguments as of `encode_rows`."""
    return format_rows(make_rows(sessions, form, options, counts, repeated), form)


def encode_export(
    sessions: Iterable[Exportable],
    form: ExportFormat,
    options: ExportOptions,
    counts: ExportCounts,
) -> Iterator[bytes]:
    """Yield the bytes of the file of an export piece by piece; arguments as of `encode_rows`."""
    return encode_rows(make_rows(sessions, form, options, counts), form)
