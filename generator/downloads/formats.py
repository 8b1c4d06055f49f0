"""Tables as files below `/api/v1/`: JSON, CSV, and a JSON Schema for each."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from generator.downloads.rows import Row

ROOT: Final = "api/v1"
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would run when a text begins with it."""


def table_files(tables: Mapping[type[Row], Sequence[Row]]) -> Iterator[tuple[str, bytes]]:
    """Yield each table as JSON and CSV with its schema, and an index of them all."""
    for kind, rows in tables.items():
        yield f"{ROOT}/{kind.table}.json", _json(_document(kind, rows))
        yield f"{ROOT}/{kind.table}.csv", _csv(kind, rows)
        yield f"{ROOT}/schemas/{kind.table}.json", _json(_schema(kind))
    yield f"{ROOT}/index.json", _json(_index(tables))


def _document(kind: type[Row], rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "table": kind.table,
        "rows": [row.model_dump(mode="json") for row in rows],
    }


def _schema(kind: type[Row]) -> dict[str, Any]:
    row = kind.model_json_schema()
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


def _index(tables: Mapping[type[Row], Sequence[Row]]) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "tables": [
            {
                "table": kind.table,
                "about": (kind.__doc__ or "").strip().splitlines()[0],
                "rows": len(rows),
                "json": f"{kind.table}.json",
                "csv": f"{kind.table}.csv",
                "schema": f"schemas/{kind.table}.json",
            }
            for kind, rows in tables.items()
        ],
    }


def _csv(kind: type[Row], rows: Sequence[Row]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out)
    fields = list(kind.model_fields)
    writer.writerow(fields)
    for row in rows:
        values = row.model_dump(mode="json")
        writer.writerow(_cell(values[field]) for field in fields)
    return out.getvalue().encode()


def _cell(value: Any) -> Any:  # noqa: ANN401 - JSON is anything
    """Return a value as a spreadsheet may open it: text that would run is quoted."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def _json(value: Any) -> bytes:  # noqa: ANN401 - JSON is anything
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
