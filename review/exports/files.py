"""The files of an export: rows as JSON, JSON lines, plain text or Parquet, with few in memory."""

import io
import json
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from review.errors import MissingPackageError
from review.exports.formats import ExportFormat
from review.exports.prepared import Row

_UNSEEN = "\u200b"
ROWS_AT_ONCE = 100
"""The most rows of a row group."""
LETTERS_AT_ONCE = 8_000_000
"""Characters of messages at which a row group ends, to limit memory."""


def encode_parquet(rows: Iterable[Row]) -> Iterator[bytes]:
    """Return the bytes of a file of ``rows`` in pieces; the same rows give the same bytes.

    Raises:
        MissingPackageError: pyarrow is not installed. This is raised before the first piece.
    """
    try:
        # pyarrow is in an extra, takes half a second to import, and has no types.
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingPackageError("pyarrow", "datasets") from error
    return _encode_groups(arrow, parquet, iter(rows))


def _encode_groups(arrow: Any, parquet: Any, rows: Iterator[Row]) -> Iterator[bytes]:  # noqa: ANN401
    schema, passing_file = _build_schema(arrow), _PassingFile()
    with parquet.ParquetWriter(passing_file, schema) as writer:
        for group in _group_rows(rows):
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))
            yield passing_file.take()
    yield passing_file.take()


def _group_rows(rows: Iterator[Row]) -> Iterator[list[dict[str, Any]]]:
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
    """A file from which the written bytes are taken; Parquet never goes back in a file."""

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

    def take(self) -> bytes:
        """Return and forget the bytes written since the last call."""
        content = b"".join(self._pieces)
        self._pieces.clear()
        return content


def _build_schema(arrow: Any) -> Any:  # noqa: ANN401 - a package without types
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


def format_rows(rows: Iterable[Row], form: ExportFormat) -> Iterator[str]:
    """Yield the text of rows in pieces; the same rows give the same text.

    For Parquet, which is not text, the rows are JSON lines for people to read. `encode_rows` yields
    the file.
    """
    before, between, after = {
        "array": ("[\n", ",\n", "\n]\n"),
        "text": ("", "\n\n", "\n"),
    }.get(form.layout, ("", "\n", "\n"))
    yield before
    count = 0
    for row in rows:
        text = str(row["text"]) if form.layout == "text" else json.dumps(row, ensure_ascii=False)
        if form.layout != "text":
            # Some JSONL readers end a line at U+2028, U+2029 and U+0085, so these are escaped.
            for unseen in "\u2028\u2029\x85":
                text = text.replace(unseen, f"\\u{ord(unseen):04x}")
            for marker in form.markers:  # a space of no width before the last character
                text = text.replace(marker, f"{marker[:-1]}{_UNSEEN}{marker[-1:]}")
        yield (between if count else "") + text
        count += 1
    if count or form.layout == "array":
        yield after


def encode_rows(rows: Iterable[Row], form: ExportFormat) -> Iterator[bytes]:
    """Return the bytes of a file of rows, in pieces.

    Raises:
        MissingPackageError: the format needs a package that is not installed. This is raised before
            the first piece.
    """
    if form.layout == "parquet":
        return encode_parquet(rows)
    return (piece.encode() for piece in format_rows(rows, form))
