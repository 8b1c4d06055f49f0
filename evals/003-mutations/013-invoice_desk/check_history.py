# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Histories of calls to an invoice desk, at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

CODES = ("a", "A", "b", "é", "É", "c_", "C_", "zz")
RATES = ("std", "STD", "Low", "low", "é")
REFS = ("r1", "r2", "r3", None)
METHODS = ("card", "bank", None)
DAYS = ("2024-12-31", "2025-01-30", "2025-01-31", "2025-02-14", "2025-03-15", "2025-06-01")
PRICES = (100, -55, 33, 1999, -1, 0)


class History:
    """A history of calls, each with its arguments."""

    def __init__(self, chance: random.Random) -> None:
        """Begin a history that this chance decides."""
        self.chance = chance
        self.choose = chance.choice
        self.begins = True

    def list_calls(self, number: int) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield the next calls; the first ones make customers, rates and invoices."""
        if self.begins:
            self.begins = False
            for rate in ("std", "Low"):
                yield "rates:put", {"code": rate, "percent": self.choose((7, 19, None))}
            for code in ("a", "b", "c_"):
                yield "customers:add", self.make_customer(code)
            for invoice in range(1, 4):
                yield "invoices:draft", {"customer": invoice, "note": self.choose((None, "n"))}
                yield "lines:add", self.make_line(invoice)
                yield "lines:add", self.make_line(invoice)
                yield "invoices:issue", {"invoice": invoice, "day": self.choose(DAYS)}
        for _ in range(number):
            yield self.make_call()

    def make_call(self) -> tuple[str, dict[str, object]]:
        """Return a call."""
        small = self.chance.randint
        choose = self.choose
        calls: list[tuple[int, str, dict[str, object]]] = [
            (2, "customers:add", self.make_customer(choose(CODES))),
            (2, "customers:load", {"rows": [self.make_address() for _ in range(3)]}),
            (1, "customers:merge", {"from": small(1, 5), "into": small(1, 5)}),
            (1, "customers:drop", {"id": small(1, 6)}),
            (2, "rates:put", {"code": choose(RATES), "percent": choose((7, 19, None, 100))}),
            (2, "rates:rename", {"from": choose(RATES), "to": choose(RATES)}),
            (3, "invoices:draft", {"customer": small(1, 4), "note": choose((None, "n"))}),
            (4, "invoices:issue", {"invoice": small(1, 8), "day": choose(DAYS)}),
            (1, "invoices:cancel", {"invoice": small(1, 8)}),
            (2, "invoices:credit", {"invoice": small(1, 6), "percent": choose((50, 10, 100))}),
            (2, "invoices:split", self.make_split()),
            (1, "invoices:drop", {"invoice": small(1, 8)}),
            (5, "lines:add", self.make_line(small(1, 8))),
            (2, "lines:addWork", {"invoice": small(1, 8), "price": choose(PRICES)}),
            (3, "lines:change", self.make_change()),
            (2, "lines:remove", {"line": small(1, 12)}),
            (5, "payments:record", self.make_payment()),
            (4, "payments:load", {"rows": [self.make_payment(rows=True) for _ in range(4)]}),
            (3, "payments:correct", self.make_correction()),
            (3, "payments:remove", {"payment": small(1, 10)}),
            (3, "reminders:send", {"day": choose(DAYS), "fee": choose((None, 3, 5))}),
        ]
        weights = [weight for weight, _, _ in calls]
        _, path, args = self.chance.choices(calls, weights)[0]
        return path, args

    def make_customer(self, code: str) -> dict[str, object]:
        """Return the arguments of a new customer."""
        return {
            "code": code,
            "name": self.choose(("Ann", "ann", "Éva")),
            "email": self.choose((None, f"{code}@x.test", "one@x.test")),
            "terms": self.choose((None, "14", "007", "12.5", "x")),
            "parent": self.choose((None, None, 1, 2)),
        }

    def make_address(self) -> dict[str, object]:
        """Return a row of the address book."""
        return {
            "code": self.choose(CODES),
            "name": self.choose(("Ann", "ann", "Éva", "Bo")),
            "terms": self.choose((None, 10, "20", 40)),
        }

    def make_line(self, invoice: int) -> dict[str, object]:
        """Return the arguments of a new line."""
        return {
            "invoice": invoice,
            "text": self.choose((None, "work")),
            "quantity": self.choose(("1", "2 h", "-3", "1e1", "")),
            "price": self.choose(PRICES),
            "rate": self.choose((None, "std", "STD", "low", "é")),
        }

    def make_change(self) -> dict[str, object]:
        """Return the arguments of a change of a line."""
        return {
            "line": self.chance.randint(1, 12),
            "price": self.choose((None, *PRICES)),
            "rate": self.choose((None, *RATES)),
        }

    def make_split(self) -> dict[str, object]:
        """Return the arguments of instalments."""
        return {
            "invoice": self.chance.randint(1, 8),
            "day": self.choose(DAYS),
            "parts": self.chance.randint(0, 4),
        }

    def make_payment(self, *, rows: bool = False) -> dict[str, object]:
        """Return the arguments of a payment, or a row of the bank's statement."""
        odd: tuple[float | str, ...] = ("050", "1,5", 2.5) if rows else ()
        return {
            "invoice": self.choose((None, 1, 1, 2, 2, 3, 3, 4, 5)),
            "ref": self.choose(REFS),
            "day": self.choose(DAYS),
            "cents": self.choose((5, 100, 2500, -40, -3000, *odd)),
            "method": self.choose(METHODS),
        }

    def make_correction(self) -> dict[str, object]:
        """Return the arguments of a correction."""
        return {**self.make_payment(), "ref": self.choose(REFS[:3]), "method": "card"}
