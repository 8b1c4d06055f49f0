"""The data dictionary: every column of every table, in words, as JSON."""

from collections.abc import Iterable, Mapping
from typing import Any

from generator.tables.columns import Table


def build_data_dictionary(
    tables: Iterable[tuple[str, Table]], terms: Mapping[str, str]
) -> dict[str, Any]:
    """Return the dictionary of tables, each with its file."""
    return {
        "schema_version": 1,
        "about": "Each column of each table. Unknown is null, or an empty field in CSV, never 0.",
        **terms,
        "tables": [
            {
                "file": file,
                "about": table.about,
                "columns": [
                    {
                        "name": column.name,
                        "type": column.kind,
                        "nullable": column.nullable,
                        "about": column.about,
                    }
                    for column in table.list_columns()
                ],
            }
            for file, table in tables
        ],
    }
