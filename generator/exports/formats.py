"""The files of tables below `/api/v1/`: JSON, CSV, and a JSON Schema for each table."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, cast

from generator.exports.table_columns import describe_table
from generator.exports.table_rows import ExportRow, MatrixRow
from records.schemas.documented import DocumentedSchema

ROOT: Final = "api/v1"
WIDE_MATRIX: Final = f"{ROOT}/matrix-wide.csv"
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet runs a text as a formula if the text begins with one of these characters."""


class ExportLine(NamedTuple):
    """A row of a table as JSON and as CSV."""

    json: str
    csv: str


def format_line(row: ExportRow) -> ExportLine:
    """Return a row as JSON and as CSV."""
    return ExportLine(row.model_dump_json(), _format_csv_line(_list_csv_values(row)))


def make_table_files(
    kind: type[ExportRow], lines: Sequence[ExportLine]
) -> Iterator[tuple[str, bytes]]:
    """Yield the JSON, CSV and JSON Schema of a table."""
    yield f"{ROOT}/{kind.table}.json", _encode_document(kind, lines)
    yield f"{ROOT}/{kind.table}.csv", _encode_csv(kind, lines)
    yield f"{ROOT}/schemas/{kind.table}.json", encode_json(_build_schema(kind))


def encode_json(value: object) -> bytes:
    """Return JSON for a file that people may open."""
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def make_index_file(
    rows: Mapping[type[ExportRow], int], terms: Mapping[str, str]
) -> tuple[str, bytes]:
    """Return the path and bytes of the list of tables.

    Args:
        rows: the number of rows of each table.
        terms: the known terms of the results.
    """
    tables = [
        {
            "table": kind.table,
            "about": describe_table(kind),
            "rows": number,
            "json": f"{kind.table}.json",
            "csv": f"{kind.table}.csv",
            "schema": f"schemas/{kind.table}.json",
        }
        for kind, number in rows.items()
    ]
    return f"{ROOT}/index.json", encode_json({"schema_version": 1, **terms, "tables": tables})


def _encode_document(kind: type[ExportRow], lines: Sequence[ExportLine]) -> bytes:
    """Return a table as JSON, with each row on its own line."""
    rows = ",\n".join([row.json for row in lines])
    head = json.dumps({"schema_version": 1, "table": kind.table}).removesuffix("}")
    return f'{head}, "rows": [\n{rows}\n]}}\n'.encode()


@cache
def _build_schema(kind: type[ExportRow]) -> dict[str, Any]:
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


def encode_wide_matrix(rows: Iterable[ExportRow]) -> bytes:
    """Return the wide matrix as CSV: evals in rows, models under experiments in columns.

    ``rows`` are of `MatrixRow`. A field is empty if the model was not asked the eval.
    """
    # Imported here, because pandas takes half a second, and most builds do not change this file.
    import pandas as pd  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

    rate_table = pd.DataFrame(
        map(_list_csv_values, rows), columns=list(MatrixRow.model_fields), dtype=object
    )
    wide = rate_table.pivot_table(  # pyright: ignore[reportUnknownMemberType] - pandas types it so
        index=["benchmark_version", "eval"],
        columns=["model", "experiment"],
        values="pass_rate",
        aggfunc="last",
    )
    wide.columns = [f"{model} {experiment}" for model, experiment in wide.columns]
    text = wide.to_csv(lineterminator="\n")  # pyright: ignore[reportUnknownMemberType] - see above
    return text.encode()


def _encode_csv(kind: type[ExportRow], lines: Sequence[ExportLine]) -> bytes:
    """Return a table as CSV; None becomes an empty field."""
    return "".join(
        [_format_csv_line(list(kind.model_fields)), *[row.csv for row in lines]]
    ).encode()


class _Echo:
    """A file whose `write` returns the text, so that `csv.writer` returns each row as text."""

    def write(self, text: str) -> str:
        return text


_CSV: Final = csv.writer(_Echo(), lineterminator="\n")


def _format_csv_line(values: Sequence[object]) -> str:
    return cast("str", _CSV.writerow(values))


def _list_csv_values(row: ExportRow) -> list[object]:
    """Return the values of a row; a text that a spreadsheet would run gets a quote before it."""
    return [
        f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
        for value in vars(row).values()
    ]
