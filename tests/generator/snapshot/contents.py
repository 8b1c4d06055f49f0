"""The contents of a snapshot's files."""

import json
from importlib import import_module
from typing import Any

from generator.snapshot.snapshot import Snapshot


def read_parquet_rows(snapshot: Snapshot, name: str) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file."""
    parquet: Any = import_module("pyarrow.parquet")
    return parquet.read_table(snapshot.folder / f"parquet/{name}.parquet").to_pylist()


def read_document(snapshot: Snapshot, name: str) -> dict[str, Any]:
    """Return the content of a JSON file."""
    return json.loads((snapshot.folder / name).read_text("utf-8"))
