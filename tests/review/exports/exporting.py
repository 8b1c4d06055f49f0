"""Exports of sessions that stand in no store."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from records.sessions.session import Session
from review.datasets import VersionedSession
from review.exports import formats, task
from review.exports.prepared import ExportOptions


def format_export(
    sessions: Iterable[formats.Exportable | Session],
    form: formats.ExportFormat,
    options: ExportOptions,
    counts: formats.ExportCounts,
    repeated: Mapping[str, Collection[int]] | None = None,
) -> Iterator[str]:
    """Yield the text of an export piece by piece; arguments as of `encode_rows`."""
    return formats.format_rows(
        formats.make_rows(_label(sessions), form, options, counts, repeated), form
    )


def encode_export(
    sessions: Iterable[formats.Exportable | Session],
    form: formats.ExportFormat,
    options: ExportOptions,
    counts: formats.ExportCounts,
) -> Iterator[bytes]:
    """Yield the bytes of the file of an export piece by piece; arguments as of `encode_rows`."""
    return formats.encode_rows(formats.make_rows(_label(sessions), form, options, counts), form)


def plan_export(
    sessions: Iterable[formats.Exportable | Session],
    form: formats.ExportFormat,
    options: ExportOptions,
) -> task.ExportPlan:
    """Return the plan of an export."""
    return task.plan_export(_label(sessions), form, options)


def _label(sessions: Iterable[formats.Exportable | Session]) -> Iterator[formats.Exportable]:
    """Yield sessions as an export reads them; those without a log have no labels of turns."""
    for entry in sessions:
        yield VersionedSession(entry, {}) if isinstance(entry, Session) else entry
