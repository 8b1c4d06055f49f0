"""Rows of a file, however it holds them: records of JSON, pages of a viewer, or Parquet."""

import io
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final, cast

from review.errors import MissingPackageError
from review.session_imports.reading import BadLine, objects_in
from review.session_imports.source_file import Fields, SourceFile

_PARQUET: Final = b"PAR1"
_ROWS_AT_ONCE: Final = 100
_LARGEST_BATCH: Final = 512 * 1024 * 1024
"""Bytes of 100 unpacked rows of Parquet; more of them are refused."""
_HEAD: Final = 100


def rows_of(source: SourceFile) -> Iterator[tuple[int, Fields | BadLine]]:
    """Yield each row with its number, or the reason why it is none."""
    if is_parquet(source):
        yield from _parquet_rows(source)
        return
    for number, record in source.records():
        if isinstance(record, BadLine) or not _is_page(record):
            yield number, record
            continue
        for place, item in enumerate(objects_in(record["rows"]), 1):
            yield place, cast("Fields", item["row"])


def head_rows(source: SourceFile) -> list[Fields]:
    """Return the first rows, by which the shape of a file is recognised."""
    head: list[Fields] = []
    for number, row in rows_of(source):
        if not isinstance(row, BadLine):
            head.append(row)
        if number >= _HEAD:
            break
    return head


def is_parquet(source: SourceFile) -> bool:
    """Return whether a file is Parquet."""
    return source.raw.startswith(_PARQUET)


def _is_page(record: Fields) -> bool:
    """Return whether a record is a page of rows, as the viewer of Hugging Face gives them."""
    items = objects_in(record.get("rows"))
    return bool(items) and all(isinstance(item.get("row"), dict) for item in items)


def _parquet_rows(source: SourceFile) -> Iterator[tuple[int, Fields | BadLine]]:
    try:
        # Imported here: an extra brings it, and it takes half a second. It has no types.
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        yield 0, source.problem(0, str(MissingPackageError("pyarrow", "datasets")))
        return
    number = 0
    try:
        file = parquet.ParquetFile(io.BytesIO(source.raw))
        for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE):
            if batch.nbytes > _LARGEST_BATCH:
                yield number, source.problem(0, f"unpacks to more than {_LARGEST_BATCH} bytes")
                return
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except Exception as error:  # noqa: BLE001 - errors of a reader of strangers' files
        yield number, source.problem(0, f"is no Parquet that can be read: {error}")
