# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The invoice desk as it was: the statements of the given files, run by SQLite."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from runner.grader import Convex

Value = str | float | None
Row = dict[str, Value]

SOURCE = Path(__file__).parent / "given" / "src"
_CALL = re.compile(r"export const (\w+): Call<.*?> = sql`(.*?)`;", re.DOTALL)
_SCHEMA = re.compile(r"export const SCHEMA = `(.*?)`;", re.DOTALL)


def split_statements(text: str) -> Iterator[str]:
    """Yield the statements of a text."""
    statement = ""
    for part in text.split(";")[:-1]:
        statement += f"{part};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def read_calls() -> dict[str, list[str]]:
    """Return the statements of each call, by its name."""
    return {
        f"{path.stem}:{name}": list(split_statements(text))
        for path in sorted((SOURCE / "calls").glob("*.ts"))
        for name, text in _CALL.findall(path.read_text("utf-8"))
    }


class RefusedError(Exception):
    """A call that the old desk answered with status 409."""


class OldDesk:
    """The old desk with an empty database."""

    def __init__(self) -> None:
        """Open a new database, as the given ``db.ts`` does."""
        self.database = sqlite3.connect(":memory:", isolation_level=None)
        self.database.row_factory = sqlite3.Row
        self.database.execute("PRAGMA foreign_keys = ON")
        schema = _SCHEMA.findall((SOURCE / "schema.ts").read_text("utf-8"))
        self.database.executescript(schema[0])
        self.calls = read_calls()

    def run(self, path: str, args: Mapping[str, object]) -> list[Row]:
        """Run a call as one transaction, and return the rows of its last statement.

        Raises:
            RefusedError: a statement failed.
        """
        bound = {
            name: json.dumps(value) if isinstance(value, list) else value
            for name, value in args.items()
        }
        self.database.execute("BEGIN IMMEDIATE")
        try:
            rows: list[Row] = []
            for statement in self.calls[path]:
                rows = [dict(row) for row in self.database.execute(statement, bound)]
            self.database.execute("COMMIT")
        except sqlite3.Error as error:
            self.database.execute("ROLLBACK")
            raise RefusedError(str(error)) from error
        return rows


LISTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("customers:list", {}),
    ("rates:list", {}),
    ("invoices:list", {}),
    ("payments:list", {}),
    ("reminders:list", {}),
    ("books:journal", {"limit": -1}),
)
"""Calls that show all tables but lines."""
BOOKS: tuple[tuple[str, dict[str, object]], ...] = (
    ("books:customers", {}),
    ("books:ages", {"day": "2025-06-15"}),
    ("books:taxes", {"from": "2024-01-01", "to": "2026-12-31"}),
)
"""Calls that show sums."""


class Desks:
    """The old desk beside the new one, which get the same calls."""

    def __init__(self, convex: Convex) -> None:
        """Begin with two empty desks."""
        convex.clear()
        self.convex = convex
        self.old = OldDesk()

    def compare(self, path: str, **args: object) -> None:
        """Make a call to both desks, whose results must be the same."""
        is_mutation = not path.endswith((":list", ":search")) and not path.startswith("books:")
        call = self.convex.mutation if is_mutation else self.convex.query
        try:
            expected = self.old.run(path, args)
        except RefusedError as error:
            try:
                rows = call(path, args)
            except FunctionFailed:
                return
            message = f"{path} {args} gave {rows}, and the old desk threw: {error}"
            raise AssertionError(message) from error
        rows = call(path, args)
        assert rows == expected, f"{path} {args} gave {rows} instead of {expected}"

    def compare_all(self, *, books: bool = False) -> None:
        """Compare all tables, and perhaps what the books sum up."""
        for path, args in (*LISTS, *(BOOKS if books else ())):
            self.compare(path, **args)
        for row in self.old.database.execute("SELECT DISTINCT invoice FROM lines").fetchall():
            self.compare("lines:list", invoice=row["invoice"])

    def find_newest(self, table: str) -> int:
        """Return the greatest id of a table."""
        statement = f"SELECT max(id) AS id FROM {table}"  # noqa: S608 - our own names
        return int(self.old.database.execute(statement).fetchone()["id"])

    def add_customer(
        self,
        code: str,
        *,
        name: str = "Name",
        email: str | None = None,
        terms: str | None = "14",
        parent: int | None = None,
    ) -> None:
        """Add a customer."""
        rest = {"email": email, "terms": terms, "parent": parent}
        self.compare("customers:add", code=code, name=name, **rest)

    def add_line(
        self, invoice: int, *, quantity: str = "1", price: int = 100, rate: str | None = None
    ) -> None:
        """Add a line to an invoice."""
        rest = {"quantity": quantity, "price": price, "rate": rate}
        self.compare("lines:add", invoice=invoice, text="line", **rest)

    def bill(
        self,
        customer: int,
        *,
        issue: bool = False,
        price: int = 100,
        day: str = "2025-03-01",
        rate: str | None = None,
    ) -> None:
        """Draft an invoice with one line, and perhaps issue it."""
        self.compare("invoices:draft", customer=customer, note="bill")
        newest = self.find_newest("invoices")
        self.add_line(newest, price=price, rate=rate)
        if issue:
            self.compare("invoices:issue", invoice=newest, day=day)

    def pay(
        self,
        invoice: int | None,
        ref: str | None,
        cents: int,
        method: str | None = "card",
        day: str = "2025-06-01",
    ) -> None:
        """Record a payment."""
        rest = {"ref": ref, "day": day, "cents": cents, "method": method}
        self.compare("payments:record", invoice=invoice, **rest)

    def load_payments(
        self, rows: Sequence[tuple[int | None, str | None, float | str, str | None]]
    ) -> None:
        """Load a statement of the bank."""
        self.compare(
            "payments:load",
            rows=[
                {
                    "invoice": invoice,
                    "ref": ref,
                    "day": f"2025-06-0{number + 1}",
                    "cents": cents,
                    "method": method,
                }
                for number, (invoice, ref, cents, method) in enumerate(rows)
            ],
        )
