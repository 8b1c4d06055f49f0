"""Exports of sessions that stand in no store; options are those of `ExportOptions`."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from records.sessions.session import Session
from review.datasets import VersionedSession
from review.exports import formats, task
from review.exports.prepared import ExportOptions

Source = Session | VersionedSession


def export_sessions(
    name: str,
    sessions: Iterable[Source],
    repeated: Mapping[str, Collection[int]] | None = None,
    **options: Any,  # noqa: ANN401 - of any kind
) -> tuple[str, formats.ExportCounts]:
    """Return the text of an export in the format of this name, and its counts."""
    counts, form = formats.ExportCounts(), formats.FORMATS[name]
    rows = formats.make_rows(_label(sessions), form, ExportOptions(**options), counts, repeated)
    return "".join(formats.format_rows(rows, form)), counts


def export_rows(name: str, *sessions: Source, **options: Any) -> list[Any]:  # noqa: ANN401 - see above
    """Return the rows of an export, read as a consumer does."""
    text, counts = export_sessions(name, sessions, **options)
    # As Python's own file objects and most readers of JSONL split lines.
    is_array = formats.FORMATS[name].layout == "array"
    rows = json.loads(text) if is_array else [json.loads(line) for line in text.splitlines()]
    assert len(rows) == counts.rows
    return rows


def encode_export(name: str, sessions: Iterable[Source], **options: Any) -> Iterator[bytes]:  # noqa: ANN401 - see above
    """Yield the bytes of the file of an export piece by piece."""
    counts, form = formats.ExportCounts(), formats.FORMATS[name]
    rows = formats.make_rows(_label(sessions), form, ExportOptions(**options), counts)
    return formats.encode_rows(rows, form)


def plan_export(name: str, sessions: Iterable[Source], **options: Any) -> task.ExportPlan:  # noqa: ANN401 - see above
    """Return the plan of an export."""
    return task.plan_export(_label(sessions), formats.FORMATS[name], ExportOptions(**options))


def _label(sessions: Iterable[Source]) -> Iterator[VersionedSession]:
    """Yield sessions as an export reads them; those without a log have no labels of turns."""
    for entry in sessions:
        yield VersionedSession(entry, {}) if isinstance(entry, Session) else entry
