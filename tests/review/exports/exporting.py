"""Exports of sessions that stand in no store."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from records.sessions.session import Session
from review.datasets import VersionedSession
from review.exports import task
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
    sessions: Iterable[Exportable | Session],
    form: ExportFormat,
    options: ExportOptions,
    counts: ExportCounts,
    repeated: Mapping[str, Collection[int]] | None = None,
) -> Iterator[str]:
    """Yield the text of an export piece by piece; arguments as of `encode_rows`."""
    return format_rows(make_rows(_label(sessions), form, options, counts, repeated), form)


def encode_export(
    sessions: Iterable[Exportable | Session],
    form: ExportFormat,
    options: ExportOptions,
    counts: ExportCounts,
) -> Iterator[bytes]:
    """Yield the bytes of the file of an export piece by piece; arguments as of `encode_rows`."""
    return encode_rows(make_rows(_label(sessions), form, options, counts), form)


def plan_export(
    sessions: Iterable[Exportable | Session], form: ExportFormat, options: ExportOptions
) -> task.ExportPlan:
    """Return the plan of an export."""
    return task.plan_export(_label(sessions), form, options)


def _label(sessions: Iterable[Exportable | Session]) -> Iterator[Exportable]:
    """Yield sessions as an export reads them; those without a log have no labels of turns."""
    for entry in sessions:
        yield VersionedSession(entry, {}) if isinstance(entry, Session) else entry
