# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The reports as they were: the statements of the given files, run by SQLite."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runner.grader import Convex

Value = str | float | None
Row = dict[str, Value]
Tables = dict[str, list[Row]]

SOURCE = Path(__file__).parent / "given" / "src"
_REPORT = re.compile(r"export const (\w+): Report<.*?> = sql`(.*?)`;", re.DOTALL)
_SCHEMA = re.compile(r"export const SCHEMA = `(.*?)`;", re.DOTALL)


def read_reports() -> dict[str, str]:
    """Return the statement of each report, by its name."""
    return {
        f"{path.stem}:{name}": text
        for path in sorted((SOURCE / "reports").glob("*.ts"))
        for name, text in _REPORT.findall(path.read_text("utf-8"))
    }


def bind(given: object) -> object:
    """Return an argument as the given ``db.ts`` binds it."""
    if isinstance(given, (list, tuple)):
        return json.dumps(given)
    if isinstance(given, bool):
        return int(given)
    return None if given == "" else given


class Reports:
    """The old reports beside the new ones, over the same rows."""

    def __init__(self, convex: Convex, tables: Tables) -> None:
        """Store the rows in both databases."""
        convex.clear()
        self.convex = convex
        self.database = sqlite3.connect(":memory:")
        self.database.row_factory = sqlite3.Row
        schema = _SCHEMA.findall((SOURCE / "schema.ts").read_text("utf-8"))
        self.database.executescript(schema[0])
        self.statements = read_reports()
        for table, rows in tables.items():
            for row in rows:
                marks = ", ".join(f":{column}" for column in row)
                names = ", ".join(row)
                statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - ours
                self.database.execute(statement, row)
            if rows:
                convex.insert_many(table, rows)

    def run_old(self, path: str, args: Mapping[str, object]) -> list[dict[str, object]]:
        """Return the rows of an old report."""
        bound = {name: bind(value) for name, value in args.items()}
        return [
            {
                column: bool(row[column]) if column.startswith("is_") else row[column]
                for column in row.keys()  # noqa: SIM118 - a row is iterated by its values
            }
            for row in self.database.execute(self.statements[path], bound)
        ]

    def compare(self, path: str, **args: object) -> None:
        """Compare a report with the old one."""
        expected = self.run_old(path, args)
        rows = self.convex.query(path, args)
        assert is_same(rows, expected), f"{path} {args} gave {rows} instead of {expected}"


def is_same(rows: object, expected: Sequence[Mapping[str, object]]) -> bool:
    """Return whether rows are the expected ones; true and 1 are not the same."""
    if rows != expected:
        return False
    found = cast("list[dict[str, object]]", rows)
    return all(
        isinstance(row[name], bool) == isinstance(value, bool)
        for row, known in zip(found, expected, strict=True)
        for name, value in known.items()
    )


def make_site(number: int, name: str, region: str | None = "north") -> Row:
    """Return a site."""
    return {"id": number, "name": name, "region": region, "opened": None}


def make_item(
    number: int,
    sku: str,
    title: str | None = "Drill",
    kind: str | None = "tool",
    site: int | None = 1,
    **rest: Value,
) -> Row:
    """Return an item."""
    usual: Row = {"daily": 1000, "weight": 2.5, "stock": 5, "retired": None}
    named: Row = {"id": number, "sku": sku, "title": title, "kind": kind, "site": site}
    return {**named, **usual, **rest}


def make_booking(
    number: int,
    item: int,
    starts: str = "2025-03-01 06:00",
    ends: str | None = "2025-03-03 18:00",
    **rest: Value,
) -> Row:
    """Return a booking."""
    usual: Row = {
        "customer": "Ada",
        "units": 1,
        "state": "back",
        "price": 1000,
        "deposit": 10.0,
        "channel": "web",
        "code": None,
    }
    named: Row = {"id": number, "item": item, "starts": starts, "ends": ends}
    return {**named, **usual, **rest}


def make_movement(
    number: int,
    item: int | None,
    day: str = "2025-03-01",
    units: int = 5,
    reason: str | None = "bought #7",
) -> Row:
    """Return a movement."""
    return {"id": number, "item": item, "day": day, "units": units, "reason": reason}
