"""The data dictionary: every column of every table, in words, as JSON."""

from collections.abc import Iterable, Mapping
from typing import Any

from generator.exports.table_columns import describe_table, list_table_columns
from records.shapes.base import Record


def build_data_dictionary(
    tables: Iterable[tuple[str, type[Record]]], terms: Mapping[str, str]
) -> dict[str, Any]:
    """Return the dictionary of tables, each a file with the class of its rows."""
    return {
        "schema_version": 1,
        "about": "Each column of each table. Unknown is null, or an empty field in CSV, never 0.",
        **terms,
        "tables": [
            {
                "file": file,
                "about": describe_table(kind),
                "columns": [
                    {
                        "name": column.name,
                        "type": column.kind,
                        "nullable": column.nullable,
                        "about": column.about,
                    }
                    for column in list_table_columns(kind)
                ],
            }
            for file, kind in tables
        ],
    }
