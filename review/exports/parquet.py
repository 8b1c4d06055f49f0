"""Parquet for Hugging Face datasets: the rows of `huggingface`, in a file with a fixed schema."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice
from typing import Any, BinaryIO, Final

from records.session import Session
from review.errors import MissingPackageError
from review.exports import huggingface
from review.exports.formats import ExportCounts
from review.exports.rows import ExportOptions, prepared

NAME: Final = "parquet"
SUMMARY: Final = "the same in Parquet; needs --out"
ROWS_AT_ONCE: Final = 100
"""Rows of a row group: what is in memory at a time."""


def write_parquet(
    sessions: Iterable[Session], options: ExportOptions, counts: ExportCounts, file: BinaryIO
) -> None:
    """Write sessions to an open file; the same sessions and options give the same bytes.

    Raises:
        MissingPackageError: pyarrow is not installed.
    """
    try:
        # Imported here: an extra brings it, and it takes half a second. It has no types.
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingPackageError("pyarrow", "datasets") from error
    schema = _schema(arrow)
    rows = _rows(sessions, options, counts)
    with parquet.ParquetWriter(file, schema) as writer:
        while some := list(islice(rows, ROWS_AT_ONCE)):
            writer.write_table(arrow.Table.from_pylist(some, schema=schema))


def _rows(
    sessions: Iterable[Session], options: ExportOptions, counts: ExportCounts
) -> Iterator[dict[str, Any]]:
    for session in sessions:
        found = huggingface.rows(prepared(session, options), options)
        counts.sessions += 1
        counts.rows += len(found.rows)
        yield from map(dict, found.rows)


def _schema(arrow: Any) -> Any:  # noqa: ANN401 - a package without types
    text = arrow.string()
    message = arrow.struct(
        [(name, text) for name in ("role", "content", "tool_calls", "tool_call_id")]
    )
    kinds = {"messages": arrow.list_(message), "tags": arrow.list_(text)}
    names = ("id", "title", "model", "created_at", "messages", "status", "tags", "notes")
    return arrow.schema(
        [(name, kinds.get(name, text)) for name in (*names, "expected_output", "reviewed_at")]
    )
