# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The script, run beside the app that is graded, over the same customers, invoices and files."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runner.grader import Convex

Row = dict[str, Any]
MOST_LINES = 25
PAGE = 100
HEADER = "Date;Payer;IBAN;Purpose;Amount"
SCRIPT = Path(__file__).parent / "given/convex/legacy/book_statement.py.txt"


def load_script() -> ModuleType:
    """Return the given script as a module."""
    module = ModuleType("book_statement")
    sys.modules[module.__name__] = module
    exec(compile(SCRIPT.read_text("utf-8"), SCRIPT.name, "exec"), module.__dict__)  # noqa: S102 - it is the given one
    return module


script = load_script()


def make_iban(number: int, country: str = "DE") -> str:
    """Return a valid IBAN."""
    return make_text_iban(country, f"{number:018d}")


def make_text_iban(country: str, account: str) -> str:
    """Return the IBAN of an account."""
    digits = "".join(str(int(character, 36)) for character in f"{account}{country}00")
    return f"{country}{98 - int(digits) % 97:02d}{account}"


def write_file(*lines: str, header: str = HEADER) -> bytes:
    """Return a file of the bank."""
    return "".join(f"{line}\r\n" for line in (header, *lines)).encode()


def write_line(
    amount: str, purpose: str = "", iban: str = "", payer: str = "Ada", day: str = "10.03.2026"
) -> str:
    """Return a line of a file."""
    return f'{day};{payer};{iban};"{purpose}";{amount}'


class Running:
    """A statement that was added, and the script over it."""

    def __init__(self, key: str, data: bytes, book: Book) -> None:
        """Take the file of a statement."""
        self.key = key
        self.is_refused = False
        self.size = 0
        try:
            self.size = len(list(script.read_rows(data)))
        except ValueError:
            self.is_refused = True
        self.lines: list[Any] = []
        self.summary = ""
        self.is_cancelled = False
        self.steps: Iterator[Any] = script.book_statement(data, book.ledger)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be booked."""
        return self.is_refused or self.is_cancelled or len(self.lines) == self.size

    @property
    def state(self) -> str:
        """The state when all has been read."""
        if self.is_cancelled or self.is_refused:
            return "cancelled" if self.is_cancelled else "refused"
        return "done" if self.is_over else "booking"

    def advance(self, count: int) -> None:
        """Let the script book up to a number of lines."""
        while len(self.lines) < count:
            statement = next(self.steps)
            self.lines, self.summary = statement.lines, statement.summary


class Book:
    """The tables of the app, and the same in the script's form."""

    def __init__(self, convex: Convex) -> None:
        """Begin with one of the staff and nothing else."""
        self.convex = convex
        self.ledger = script.Ledger()
        self.ids: dict[int, str] = {}
        self.customers: list[Any] = []
        self.statements: list[Running] = []
        self.old_lines: list[Any] = []
        self.old_statement = ""
        convex.insert("staff", {"subject": "ada", "name": "Ada"})
        self.ada = convex.as_user("ada")

    def id_of(self, thing: object) -> str:
        """Return the id of a stored customer or invoice."""
        return self.ids[id(thing)]

    def add_customer(self, name: str, *ibans: str, credit: int | None = None) -> Any:  # noqa: ANN401 - of the script
        """Return a new customer with accounts."""
        customer = script.Customer(name, credit)
        self.customers.append(customer)
        self.ledger.accounts |= dict.fromkeys(ibans, customer)
        return customer

    def add_invoice(self, customer: Any, number: str, amount: int, **more: Any) -> Any:  # noqa: ANN401 - of the script
        """Return a new invoice."""
        more = {"paid": 0, "issued": date(2026, 1, 15), "due": date(2026, 2, 15), **more}
        invoice = script.Invoice(number, customer, amount, **more)
        assert number not in self.ledger.invoices
        self.ledger.invoices[number] = invoice
        return invoice

    def add_booking(self, iban: str, day: date, *parts: tuple[Any, int, int], **more: Any) -> Any:  # noqa: ANN401 - of the script
        """Return what was booked some time ago; parts are (invoice, amount, discount)."""
        made = [script.Part(*part) for part in parts]
        amount = sum(part.amount for part in made) + (more.get("credit") or 0)
        customer = parts[0][0].customer
        booking = script.Booking(iban, day, amount, customer, made, **more)
        self.ledger.bookings.append(booking)
        return booking

    def add_line(self, number: int, text: str, *fields: Any, known: bool | None = None) -> None:  # noqa: ANN401 - of the script
        """Add a line that the script has booked: fields are those of its key, or none."""
        line = script.Line(number, text, *fields, known=known)
        self.old_lines.append(line)
        self.ledger.lines.append(line)

    def store(self) -> None:
        """Store what was added."""
        convex, ledger = self.convex, self.ledger
        customers = [
            drop_absent({"name": one.name, "credit": one.credit, "owed": self.sum_open(one)})
            for one in self.customers
        ]
        self.keep_ids(self.customers, convex.insert_many("customers", customers))
        accounts = [
            {"iban": iban, "customer": self.id_of(one)} for iban, one in ledger.accounts.items()
        ]
        convex.insert_many("accounts", accounts)
        invoices = list(ledger.invoices.values())
        self.keep_ids(
            invoices, convex.insert_many("invoices", [self.show_invoice(one) for one in invoices])
        )
        convex.insert_many("bookings", [self.show_booking(one) for one in ledger.bookings])
        if self.old_lines:
            self.old_statement = convex.insert("statements", {"name": "old", "summary": "old"})
            lines = [show_line(line) for line in self.old_lines]
            convex.insert_many("lines", [{"statement": self.old_statement} | row for row in lines])

    def keep_ids(self, things: list[Any], ids: list[str]) -> None:
        """Remember the ids of stored things."""
        self.ids |= {id(thing): key for thing, key in zip(things, ids, strict=True)}

    def sum_open(self, customer: Any) -> int:  # noqa: ANN401 - of the script
        """Return what is open of a customer's invoices."""
        return sum(i.open for i in self.ledger.invoices.values() if i.customer is customer)

    def show_invoice(self, invoice: Any) -> Row:  # noqa: ANN401 - of the script
        """Return an invoice as the app stores it."""
        return drop_absent(
            {
                "number": invoice.number,
                "customer": self.id_of(invoice.customer),
                "amount": invoice.amount,
                "paid": invoice.paid,
                "open": invoice.open,
                "issued": invoice.issued.isoformat(),
                "due": invoice.due and invoice.due.isoformat(),
                "discount": invoice.discount,
                "discountDays": invoice.discount_days,
                "void": invoice.void,
            }
        )

    def show_booking(self, booking: Any) -> Row:  # noqa: ANN401 - of the script
        """Return a booking as the app stores it."""
        parts = [
            {"invoice": self.id_of(part.invoice), "amount": part.amount, "discount": part.discount}
            for part in booking.parts
        ]
        return drop_absent(
            {
                "iban": booking.iban,
                "day": booking.day.isoformat(),
                "amount": booking.amount,
                "customer": self.id_of(booking.customer),
                "parts": parts,
                "credit": booking.credit,
                "returned": booking.returned,
            }
        )

    def add(self, data: bytes, *, is_read: bool = True) -> Running:
        """Add a statement, and let the file be read."""
        file = self.convex.store(data, "text/csv")
        key = self.ada.mutation("statements:add", {"name": "a file", "file": file})
        running = Running(key, data, self)
        self.statements.append(running)
        if is_read:
            self.convex.settle()
        return running

    def read_lines(self, key: str) -> list[Row]:
        """Return all that `statements:lines` shows of a statement."""
        lines: list[Row] = []
        cursor = None
        while True:
            options = {"numItems": PAGE, "cursor": cursor}
            page = self.ada.query("statements:lines", {"statement": key, "paginationOpts": options})
            lines += page["page"]
            cursor = page["continueCursor"]
            if page["isDone"]:
                return lines

    def state_of(self, running: Running) -> str:
        """Return the state that the app shows."""
        return self.ada.query("statements:state", {"statement": running.key})

    def step(self) -> bool:
        """Let the app book the next lines, and the script the same; return whether all is over."""
        is_over = self.convex.admin.mutation("statements:next", {})
        booked = 0
        for running in self.statements:
            if running.is_over:
                continue
            count = len(self.read_lines(running.key))
            booked += count - len(running.lines)
            running.advance(count)
            if not running.is_over:
                break
        assert booked <= MOST_LINES
        if is_over:
            assert all(running.is_over for running in self.statements)
        return bool(is_over)

    def run(self) -> None:
        """Book all that is left, and compare."""
        left = sum(running.size - len(running.lines) for running in self.statements)
        for _ in range(left + 10 * len(self.statements)):
            if self.step():
                break
        else:
            pytest.fail("statements:next does not come to an end")
        self.compare()

    def compare(self) -> None:
        """Compare the tables of the app with those of the script."""
        self.compare_ledger()
        table = self.convex.table("lines")
        for running in self.statements:
            shown = self.read_lines(running.key)
            expected = [{"number": line.number, "text": line.text} for line in running.lines]
            assert shown == expected
            numbers = {row["number"] for row in shown}
            stored = [
                row for row in table if row["statement"] == running.key and row["number"] in numbers
            ]
            assert [pick_fields(row) for row in sorted(stored, key=lambda row: row["number"])] == [
                pick_fields(show_line(line)) for line in running.lines
            ]
        summaries = {row["_id"]: row["summary"] for row in self.ada.query("statements:latest", {})}
        for running in self.statements:
            if running.lines:
                assert summaries[running.key] == running.summary

    def compare_ledger(self) -> None:
        """Compare customers, accounts, invoices and bookings."""
        convex, ledger = self.convex, self.ledger
        documents = {row["_id"]: row for row in convex.table("invoices")}
        for invoice in ledger.invoices.values():
            row = documents[self.id_of(invoice)]
            expected = self.show_invoice(invoice)
            assert {name: row.get(name) for name in expected} == expected
        documents = {row["_id"]: row for row in convex.table("customers")}
        for customer in self.customers:
            row = documents[self.id_of(customer)]
            amounts = (row["name"], row.get("credit") or 0, row["owed"])
            assert amounts == (customer.name, customer.credit or 0, self.sum_open(customer))
        accounts = sorted((row["iban"], row["customer"]) for row in convex.table("accounts"))
        assert accounts == sorted((i, self.id_of(c)) for i, c in ledger.accounts.items())
        bookings = [fill_booking(row) for row in convex.table("bookings")]
        assert bookings == [fill_booking(self.show_booking(one)) for one in ledger.bookings]

    def change(self, path: str, thing: Any, **args: Any) -> None:  # noqa: ANN401 - of the script
        """Let one of the staff change a customer or an invoice."""
        name = "customer" if path.startswith("customers") else "invoice"
        self.ada.mutation(path, {name: self.id_of(thing), **args})
        if path == "customers:rename":
            thing.name = args["name"]
        elif path == "customers:setAccount":
            self.ledger.accounts[args["iban"]] = thing
        elif path == "invoices:pay":
            thing.paid += args["amount"]
        elif path == "invoices:correct":
            thing.amount = args["amount"]
        else:
            thing.void = args["void"]

    def issue(self, customer: Any, number: str, amount: int, **more: Any) -> Any:  # noqa: ANN401 - of the script
        """Let one of the staff issue an invoice."""
        invoice = self.add_invoice(customer, number, amount, **more)
        document = self.show_invoice(invoice)
        args = {name: document[name] for name in document if name not in {"paid", "open", "void"}}
        self.ids[id(invoice)] = self.ada.mutation("invoices:issue", args)
        return invoice

    def cancel(self, running: Running) -> None:
        """Cancel a statement; for one that is over an error is right, too."""
        try:
            self.ada.mutation("statements:cancel", {"statement": running.key})
        except FunctionFailed:
            assert running.is_over
        running.is_cancelled = not running.is_over or running.is_cancelled

    def refuse(self, path: str, args: Row) -> None:
        """Check that nobody else may call a function."""
        for caller in (self.convex, self.convex.as_user("eve")):
            with pytest.raises(FunctionFailed):
                (caller.query if path.endswith("state") else caller.mutation)(path, args)


def drop_absent(row: Row) -> Row:
    """Return a document without what is absent."""
    return {name: value for name, value in row.items() if value is not None}


def show_line(line: Any) -> Row:  # noqa: ANN401 - of the script
    """Return a line as the app stores it."""
    day = line.day and line.day.isoformat()
    return drop_absent({**vars(line), "day": day})


def pick_fields(row: Row) -> Row:
    """Return the fields that the script writes of a line."""
    names = ("number", "text", "day", "iban", "amount", "payer", "purpose")
    return {name: row.get(name) for name in names} | {"known": bool(row.get("known"))}


def fill_booking(row: Row) -> Row:
    """Return a booking as it is compared: what is absent is nothing."""
    names = ("iban", "day", "amount", "customer", "parts")
    extra = {"credit": row.get("credit") or 0, "returned": bool(row.get("returned"))}
    return {name: row[name] for name in names} | extra
