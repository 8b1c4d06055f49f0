"""Tables as files below `/api/v1/`: JSON, CSV, and a JSON Schema for each."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from generator.downloads.rows import MatrixRow, Row

if TYPE_CHECKING:
    import pandas as pd  # pyright: ignore[reportMissingTypeStubs] - it has its types inline

ROOT: Final = "api/v1"
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would run when a text begins with it."""


def table_files(tables: Mapping[type[Row], Sequence[Row]]) -> Iterator[tuple[str, bytes]]:
    """Yield each table as JSON and CSV with its schema, and an index of them all."""
    for kind, rows in tables.items():
        yield f"{ROOT}/{kind.table}.json", _json(_document(kind, rows))
        yield f"{ROOT}/{kind.table}.csv", _csv(kind, rows)
        yield f"{ROOT}/schemas/{kind.table}.json", _json(_schema(kind))
    yield f"{ROOT}/matrix-wide.csv", _wide_matrix(tables[MatrixRow])
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
    return _text(_frame(kind, rows), index=False)


def _wide_matrix(rows: Sequence[Row]) -> bytes:
    """Return evals by models, as a spreadsheet wants them; empty where a model was not asked."""
    frame = _frame(MatrixRow, rows)
    wide = frame.pivot_table(  # pyright: ignore[reportUnknownMemberType] - pandas types it so
        index=["benchmark_version", "eval"], columns=["model", "experiment"], values="pass_rate"
    )
    wide.columns = [f"{model} {experiment}" for model, experiment in wide.columns]
    return _text(wide, index=True)


def _text(frame: "pd.DataFrame", *, index: bool) -> bytes:
    text = frame.to_csv(  # pyright: ignore[reportUnknownMemberType] - pandas types it so
        index=index, lineterminator="\n"
    )
    return text.encode()


def _frame(kind: type[Row], rows: Sequence[Row]) -> "pd.DataFrame":
    # Imported here: pandas takes half a second, and a preview that changes one page needs none.
    import pandas as pd  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

    fields = list(kind.model_fields)
    dumped = [row.model_dump(mode="json") for row in rows]
    cells = [[_cell(values[field]) for field in fields] for values in dumped]
    # Objects, so that whole numbers beside unknown ones stay whole.
    return pd.DataFrame(cells, columns=fields, dtype=object)


def _cell(value: Any) -> Any:  # noqa: ANN401 - JSON is anything
    """Return a value as a spreadsheet may open it: text that would run is quoted."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def _json(value: Any) -> bytes:  # noqa: ANN401 - JSON is anything
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
