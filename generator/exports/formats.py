"""The files of tables below `/api/v1/`: JSON, CSV, and a JSON Schema for each table."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pydantic_core import to_json

from generator.site_data import SiteBasics, SiteData
from generator.tables.columns import ResultTable
from generator.tables.published_tables import MATRIX, TABLES, build_frames
from records.text.escaping import disarm_formula


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


def export_tables(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Yield the files of all tables, the wide matrix, an archive of all CSV, the list of tables."""
    frames = build_frames(site)
    files: list[tuple[str, bytes]] = []
    index: list[dict[str, object]] = []
    for table in TABLES:
        rows = table.list_rows(frames[table.columns])
        files += make_table_files(table, rows)
        index.append(
            {
                "table": table.name,
                "about": table.about,
                "rows": len(rows),
                "json": f"{table.name}.json",
                "csv": f"{table.name}.csv",
                "schema": f"schemas/{table.name}.json",
            }
        )
    # Evals in rows, models under experiments in columns; empty if the model was not asked the eval.
    rates = frames[MATRIX.columns].map(disarm_formula)  # pyright: ignore[reportUnknownMemberType] - pandas types it so
    wide = rates.pivot_table(  # pyright: ignore[reportUnknownMemberType] - see above
        index=["benchmark_version", "eval"],
        columns=["model", "experiment"],
        values="pass_rate",
        aggfunc="last",
    )
    wide.columns = [f"{model} {experiment}" for model, experiment in wide.columns]
    text = wide.to_csv(lineterminator="\n")  # pyright: ignore[reportUnknownMemberType] - see above
    files.append((f"{ROOT}/matrix-wide.csv", text.encode()))
    yield from files
    # Equal files give equal bytes.
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for path, data in files:
            if path.endswith(".csv"):
                archive.writestr(ZipInfo(path.rpartition("/")[2]), data, ZIP_DEFLATED)
    yield f"{ROOT}/tables.zip", packed.getvalue()
    document = {"schema_version": 1, **build_terms(site), "tables": index}
    yield f"{ROOT}/index.json", encode_json(document)


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
    schema: dict[str, object] = {
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
    yield f"{ROOT}/schemas/{table.name}.json", encode_json(schema)


def encode_json(value: object) -> bytes:
    """Return JSON for a file that people may open."""
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
