"""Parquet files: the types of columns follow from the table, and rows come in batches."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from generator.errors import SnapshotError
from generator.tables.columns import ResultTable, TableColumn

if TYPE_CHECKING:
    from pandas import DataFrame  # pyright: ignore[reportMissingTypeStubs] - pandas has none

_ROWS_AT_ONCE: Final = 50_000
"""Rows from which on a row group is written."""


class ParquetTypes:
    """The package that writes Parquet, and the schemas of files.

    Raises:
        SnapshotError: it is not installed.
    """

    def __init__(self, terms: Mapping[str, str]) -> None:
        """Prepare; each file holds the terms in its schema."""
        self._terms = dict(terms)
        try:
            # Imported here: an extra brings it, and it takes half a second. It has no types.
            self._arrow: Any = import_module("pyarrow")
            self.parquet: Any = import_module("pyarrow.parquet")
        except ImportError as error:
            raise SnapshotError(
                "pyarrow is missing, which writes Parquet: install the extra datasets "
                "(pip install 'convex-leaderboard[datasets]')"
            ) from error
        # Its own allocator keeps 10 MB of freed memory in each process.
        self._arrow.set_memory_pool(self._arrow.system_memory_pool())
        self._schemas: dict[ResultTable, Any] = {}

    def build_schema(self, table: ResultTable) -> Any:  # noqa: ANN401 - a package without types
        """Return the schema of a file, with the terms."""
        if table not in self._schemas:
            columns = [self._build_field(table, column) for column in table.list_columns()]
            self._schemas[table] = self._arrow.schema(columns, metadata=self._terms)
        return self._schemas[table]

    def _build_field(self, table: ResultTable, column: TableColumn) -> Any:  # noqa: ANN401 - see above
        arrow, kind = self._arrow, table.get_python_type(column.name)
        kinds: dict[object, Any] = {
            str: arrow.string(),
            bool: arrow.bool_(),
            int: arrow.int64(),
            float: arrow.float64(),
            date: arrow.date32(),
            datetime: arrow.timestamp("us", tz="UTC"),
        }
        return arrow.field(column.name, kinds[kind], nullable=column.nullable)

    def encode_batch(self, table: ResultTable, frame: "DataFrame") -> bytes:
        """Return rows as bytes that may pass from process to process; empty where there is none."""
        if frame.empty:
            return b""
        schema, arrow = self.build_schema(table), self._arrow
        arrays = [
            arrow.array(table.list_values(frame, field.name), type=field.type) for field in schema
        ]
        buffer = arrow.BufferOutputStream()
        with arrow.ipc.new_stream(buffer, schema) as stream:
            stream.write_batch(arrow.RecordBatch.from_arrays(arrays, schema=schema))
        return buffer.getvalue().to_pybytes()

    def join_batches(self, batches: Sequence[bytes]) -> Any:  # noqa: ANN401 - see above
        """Return several batches as one table."""
        arrow = self._arrow
        tables = [arrow.ipc.open_stream(batch).read_all() for batch in batches]
        return arrow.concat_tables(tables)


class ParquetFile:
    """A file that grows batch by batch."""

    def __init__(self, types_of_columns: ParquetTypes, table: ResultTable, path: Path) -> None:
        self._types = types_of_columns
        self._writer: Any = types_of_columns.parquet.ParquetWriter(
            path, types_of_columns.build_schema(table), compression="zstd"
        )
        self._batches: list[bytes] = []
        self._waiting = 0
        self.rows = 0
        """Rows so far."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write()
        self._writer.close()

    def add(self, batch: bytes, rows: int) -> None:
        """Add a batch of so many rows."""
        if not rows:
            return
        self._batches.append(batch)
        self._waiting += rows
        self.rows += rows
        if self._waiting >= _ROWS_AT_ONCE:
            self._write()

    def _write(self) -> None:
        if self._batches:
            self._writer.write_table(self._types.join_batches(self._batches))
            self._batches, self._waiting = [], 0
