"""Rows of a file: records of JSON, a list in an object, Parquet, or JSON files in a ZIP.

Account exports are such a ZIP, with the conversations in one or more files of JSON.
"""

import io
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Final, cast

from records.foreign.fields import Fields, UnknownShapeError, list_objects, parse_json
from review.errors import MissingPackageError
from review.session_imports.common.source_file import HEAD, BadLine, SourceFile

_WRAPPINGS: Final = ("data", "conversations", "chats", "sessions", "samples", "examples", "items")
"""Fields of an object that may have the list of the rows."""
_OF_ROWS: Final = frozenset(
    {
        "messages",
        "conversations",
        "conversation",
        "chat_messages",
        "mapping",
        "choices",
        "prompt",
        "instruction",
    }
)
"""Fields that rows have and messages do not have."""
_JSON_COLUMNS: Final = ("messages", "conversations", "conversation")
"""Columns of conversations that are a text with JSON in some datasets."""
_PARQUET: Final = b"PAR1"
_ROWS_AT_ONCE: Final = 100
_ZIP: Final = b"PK\x03\x04"
_CONVERSATIONS: Final = "conversations"
_LARGEST: Final = 512 * 1024 * 1024
"""The most bytes of 100 unpacked rows of Parquet, or of one unpacked file of a ZIP."""

NumberedRow = tuple[int, Fields | BadLine]
"""The number of a row, and the row or its problem."""


def read_rows(source: SourceFile) -> Iterator[tuple[int, Fields]]:
    """Yield each row of a file with its number, and report each row that cannot be read."""
    if source.data.startswith(_PARQUET):
        rows = _read_parquet_rows(source)
    elif source.data.startswith(_ZIP):
        rows = _read_zip_rows(source)
    else:
        rows = _read_json_rows(source)
    for number, row in rows:
        if isinstance(row, BadLine):
            source.report(row)
        else:
            yield number, _with_lists(row)


def read_head_rows(source: SourceFile) -> list[Fields]:
    """Return the first rows, by which the format of a file is recognised."""
    return [row for _, row in islice(read_rows(source), HEAD)]


def is_packed(source: SourceFile) -> bool:
    """Return whether a file is Parquet or a ZIP, whose rows must be unpacked first."""
    return source.data.startswith((_PARQUET, _ZIP))


def _read_json_rows(source: SourceFile) -> Iterator[NumberedRow]:
    for number, record in source.parse_records():
        rows = [] if isinstance(record, BadLine) else _unwrap_rows(record)
        if rows:
            yield from enumerate(rows, 1)
        else:
            yield number, record


def _with_lists(row: Fields) -> Fields:
    """Return a row in which a conversation that is a text with JSON is replaced by its list."""
    texts = {name: row[name] for name in _JSON_COLUMNS if isinstance(row.get(name), str)}
    lists: dict[str, object] = {}
    for name, text in texts.items():
        with suppress(UnknownShapeError):
            value = parse_json(text, name) if text.lstrip().startswith("[") else None
            lists |= {name: value} if list_objects(value) else {}
    return {**row, **lists} if lists else row


def _unwrap_rows(record: Fields) -> list[Fields]:
    """Return the rows in a record that only wraps them; none if the record is a row itself."""
    pages = list_objects(record.get("rows"))
    if pages and all(isinstance(item.get("row"), dict) for item in pages):
        return [cast("Fields", item["row"]) for item in pages]
    for name in _WRAPPINGS:
        rows = list_objects(record.get(name))
        if any(row.keys() & _OF_ROWS for row in rows):
            return rows
    return []


def _read_zip_rows(source: SourceFile) -> Iterator[NumberedRow]:
    """Yield the rows of all files of conversations in a ZIP, with numbers that continue."""
    number = 0
    try:
        archive = zipfile.ZipFile(io.BytesIO(source.data))
        for name in sorted(archive.namelist()):
            path = PurePosixPath(name)
            if path.suffix != ".json" or not path.name.startswith(_CONVERSATIONS):
                continue
            with archive.open(name) as file:
                data = file.read(_LARGEST + 1)
            if len(data) > _LARGEST:
                source.report_problem(0, f"{name}: unpacks to more than {_LARGEST} bytes")
                continue
            for _, row in _read_json_rows(SourceFile(source.path, data)):
                number += 1
                yield number, row
    except Exception as error:  # noqa: BLE001 - errors of decompressors have no class in common
        source.report_problem(0, f"is a ZIP file that cannot be read: {error}")


def _read_parquet_rows(source: SourceFile) -> Iterator[NumberedRow]:
    try:
        # pyarrow is in an extra, takes half a second to import, and has no types.
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        source.report_problem(0, str(MissingPackageError("pyarrow", "datasets")))
        return
    number = 0
    try:
        file = parquet.ParquetFile(io.BytesIO(source.data))
        for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE):
            if batch.nbytes > _LARGEST:
                source.report_problem(0, f"unpacks to more than {_LARGEST} bytes")
                return
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except Exception as error:  # noqa: BLE001 - errors of a reader of strangers' files
        source.report_problem(0, f"is no Parquet file that can be read: {error}")
