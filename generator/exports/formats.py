"""The files of tables below `/api/v1/`: JSON, CSV, and a JSON Schema for each table."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pydantic_core import to_json

from generator.site_data import SiteBasics
from generator.tables.columns import ResultTable
from records.text.escaping import disarm_formula

if TYPE_CHECKING:
    from pandas import DataFrame  # pyright: ignore[reportMissingTypeStubs] - pandas has none


def build_terms(basics: SiteBasics) -> dict[str, str]:
    """Return the terms of the results of a site by name; what nobody named is left out.

    They are the licence by its SPDX identifier, where its text stands, and the canary's line.
    """
    settings = basics.settings
    terms = {
        "licence": settings.licence,
        "licence_address": settings.licence_address,
        "canary": basics.canary,
    }
    return {name: f"{term}" for name, term in terms.items() if term is not None}


ROOT = "api/v1"
WIDE_MATRIX = f"{ROOT}/matrix-wide.csv"
ARCHIVE = f"{ROOT}/tables.zip"
"""The path of the archive with all CSV files."""


def make_table_files(
    table: ResultTable, rows: Sequence[Mapping[str, object]]
) -> Iterator[tuple[str, bytes]]:
    """Yield the JSON, CSV and JSON Schema of a table."""
    lines = b",\n".join(map(to_json, rows))
    head = json.dumps({"schema_version": 1, "table": table.name}).removesuffix("}")
    document = b'%b, "rows": [\n%b\n]}\n' % (head.encode(), lines)
    yield f"{ROOT}/{table.name}.json", document
    # None becomes an empty field.
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        map(disarm_formula, row) for row in [table.names, *(row.values() for row in rows)]
    )
    yield f"{ROOT}/{table.name}.csv", text.getvalue().encode()
    yield f"{ROOT}/schemas/{table.name}.json", encode_json(_build_schema(table))


def pack_csv(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Return an archive with the CSV files among ``files``; equal files give equal bytes."""
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for path, data in files:
            if path.endswith(".csv"):
                archive.writestr(ZipInfo(path.rpartition("/")[2]), data, ZIP_DEFLATED)
    return packed.getvalue()


def encode_json(value: object) -> bytes:
    """Return JSON for a file that people may open."""
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def make_index_file(
    rows: Mapping[ResultTable, Sequence[object]], terms: Mapping[str, str]
) -> tuple[str, bytes]:
    """Return the path and bytes of the list of tables.

    Args:
        rows: the rows of each table, which are counted.
        terms: the known terms of the results.
    """
    tables = [
        {
            "table": table.name,
            "about": table.about,
            "rows": len(of_table),
            "json": f"{table.name}.json",
            "csv": f"{table.name}.csv",
            "schema": f"schemas/{table.name}.json",
        }
        for table, of_table in rows.items()
    ]
    return f"{ROOT}/index.json", encode_json({"schema_version": 1, **terms, "tables": tables})


def _build_schema(table: ResultTable) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": table.name,
        "type": "object",
        "required": ["schema_version", "table", "rows"],
        "additionalProperties": False,
        "properties": {
            "schema_version": {"const": 1},
            "table": {"const": table.name},
            "rows": {"type": "array", "items": table.build_row_schema()},
        },
    }


def encode_wide_matrix(rates: "DataFrame") -> bytes:
    """Return the wide matrix as CSV: evals in rows, models under experiments in columns.

    A field is empty if the model was not asked the eval.
    """
    wide = rates.map(disarm_formula).pivot_table(  # pyright: ignore[reportUnknownMemberType] - pandas types it so
        index=["benchmark_version", "eval"],
        columns=["model", "experiment"],
        values="pass_rate",
        aggfunc="last",
    )
    wide.columns = [f"{model} {experiment}" for model, experiment in wide.columns]
    text = wide.to_csv(lineterminator="\n")  # pyright: ignore[reportUnknownMemberType] - see above
    return text.encode()
