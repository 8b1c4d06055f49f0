"""Tables as files below `/api/v1/`: JSON, CSV, and a JSON Schema for each."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, cast

from generator.exports.table_rows import ExportRow, MatrixRow
from records.schemas.documented import DocumentedSchema

ROOT: Final = "api/v1"
WIDE_MATRIX: Final = f"{ROOT}/matrix-wide.csv"
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""First characters of texts that a spreadsheet would run."""


class ExportLine(NamedTuple):
    """A row as it is published."""

    json: str
    csv: str


def line(row: ExportRow) -> ExportLine:
    """Return a row as it is published."""
    return ExportLine(row.model_dump_json(), _csv_line(_cells(row)))


def table_files(kind: type[ExportRow], lines: Sequence[ExportLine]) -> Iterator[tuple[str, bytes]]:
    """Yield a table as JSON and CSV with its schema."""
    yield f"{ROOT}/{kind.table}.json", _document(kind, lines)
    yield f"{ROOT}/{kind.table}.csv", _text(kind, lines)
    yield f"{ROOT}/schemas/{kind.table}.json", _json(_schema(kind))


def wide_file(rows: Sequence[ExportRow]) -> tuple[str, bytes]:
    """Return the matrix once more, as a spreadsheet wants it."""
    return WIDE_MATRIX, _wide_matrix(rows)


def index_file(rows: Mapping[type[ExportRow], int]) -> tuple[str, bytes]:
    """Return the list of all tables, with the number of rows of each."""
    return f"{ROOT}/index.json", _json(_index(rows))


def _document(kind: type[ExportRow], lines: Sequence[ExportLine]) -> bytes:
    """Return a table as JSON, a row on a line."""
    rows = ",\n".join([row.json for row in lines])
    head = json.dumps({"schema_version": 1, "table": kind.table}).removesuffix("}")
    return f'{head}, "rows": [\n{rows}\n]}}\n'.encode()


@cache
def _schema(kind: type[ExportRow]) -> dict[str, Any]:
    row = kind.model_json_schema(schema_generator=DocumentedSchema)
    definitions = row.pop("$defs", {})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": kind.table,
        "type": "object",
        "required": ["schema_version", "table", "rows"],
        "additionalProperties": False,
        "properties": {
            "schema_version": {"const": 1},
            "table": {"const": kind.table},
            "rows": {"type": "array", "items": row},
        },
        **({"$defs": definitions} if definitions else {}),
    }


def _index(tables: Mapping[type[ExportRow], int]) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "tables": [
            {
                "table": kind.table,
                "about": (kind.__doc__ or "").strip().splitlines()[0],
                "rows": rows,
                "json": f"{kind.table}.json",
                "csv": f"{kind.table}.csv",
                "schema": f"schemas/{kind.table}.json",
            }
            for kind, rows in tables.items()
        ],
    }


def _wide_matrix(rows: Sequence[ExportRow]) -> bytes:
    """Return evals by models, as a spreadsheet wants them; empty where a model was not asked."""
    # Imported here: pandas takes half a second, and most builds leave this file as it is.
    import pandas as pd  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

    frame = pd.DataFrame(map(_cells, rows), columns=list(MatrixRow.model_fields), dtype=object)
    wide = frame.pivot_table(  # pyright: ignore[reportUnknownMemberType] - pandas types it so
        index=["benchmark_version", "eval"],
        columns=["model", "experiment"],
        values="pass_rate",
        aggfunc="last",
    )
    wide.columns = [f"{model} {experiment}" for model, experiment in wide.columns]
    text = wide.to_csv(lineterminator="\n")  # pyright: ignore[reportUnknownMemberType] - see above
    return text.encode()


def _text(kind: type[ExportRow], lines: Sequence[ExportLine]) -> bytes:
    """Return a table as CSV; None becomes an empty field."""
    return "".join([_csv_line(list(kind.model_fields)), *[row.csv for row in lines]]).encode()


class _Echo:
    """A file that returns the written text: a writer of CSV then returns its line."""

    def write(self, text: str) -> str:
        return text


_CSV: Final = csv.writer(_Echo(), lineterminator="\n")


def _csv_line(cells: Sequence[object]) -> str:
    return cast("str", _CSV.writerow(cells))


def _cells(row: ExportRow) -> list[object]:
    """Return a row as a spreadsheet may open it: text that would run is quoted."""
    return [
        f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
        for value in vars(row).values()
    ]


def _json(value: Any) -> bytes:  # noqa: ANN401 - JSON is anything
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
