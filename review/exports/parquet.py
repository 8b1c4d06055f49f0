"""Parquet for Hugging Face datasets: the rows of `huggingface`, in a file with a fixed schema."""

import io
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, Final

from review.errors import MissingPackageError
from review.exports.rows import Row

ROWS_AT_ONCE: Final = 100
"""The most rows of a row group."""
LETTERS_AT_ONCE: Final = 8_000_000
"""Letters of messages from which on a row group ends: rows in memory at a time."""


def parquet_pieces(rows: Iterable[Row]) -> Iterator[bytes]:
    """Yield the bytes of a file of ``rows``, group by group; the same rows give the same bytes.

    Raises:
        MissingPackageError: pyarrow is not installed. This is raised at once, before any piece.
    """
    try:
        # Imported here: an extra brings it, and it takes half a second. It has no types.
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingPackageError("pyarrow", "datasets") from error
    return _pieces(arrow, parquet, iter(rows))


def _pieces(arrow: Any, parquet: Any, rows: Iterator[Row]) -> Iterator[bytes]:  # noqa: ANN401
    schema, passing_file = _schema(arrow), _PassingFile()
    with parquet.ParquetWriter(passing_file, schema) as writer:
        for group in _groups(rows):
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))
            yield passing_file.taken()
    yield passing_file.taken()


def _groups(rows: Iterator[Row]) -> Iterator[list[dict[str, Any]]]:
    group: list[dict[str, Any]] = []
    letters = 0
    for row in rows:
        group.append(dict(row))
        letters += sum(len(message["content"]) for message in row["messages"])
        if len(group) == ROWS_AT_ONCE or letters >= LETTERS_AT_ONCE:
            yield group
            group, letters = [], 0
    if group:
        yield group


class _PassingFile(io.RawIOBase):
    """A file that forgets the bytes taken from it: Parquet is written from beginning to end."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._length = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - any buffer
        piece = bytes(data)
        self._pieces.append(piece)
        self._length += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._length

    def taken(self) -> bytes:
        """Return the bytes written since the last call."""
        content = b"".join(self._pieces)
        self._pieces.clear()
        return content


def _schema(arrow: Any) -> Any:  # noqa: ANN401 - a package without types
    text = arrow.string()
    message = arrow.struct(
        [(name, text) for name in ("role", "content", "tool_calls", "tool_call_id")]
    )
    label = arrow.struct(
        [("turn", arrow.int64()), ("status", text), ("notes", text), ("expected_output", text)]
    )
    kinds = {
        "messages": arrow.list_(message),
        "ready": arrow.bool_(),
        "tags": arrow.list_(text),
        "turn_labels": arrow.list_(label),
    }
    names = (
        *("id", "title", "model", "created_at", "messages", "ready", "status", "tags", "notes"),
        *("expected_output", "reviewed_at", "turn_labels"),
    )
    return arrow.schema([(name, kinds.get(name, text)) for name in names])
