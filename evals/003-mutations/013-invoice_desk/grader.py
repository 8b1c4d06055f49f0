# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""An invoice desk that moves from SQLite: the same calls have the same results."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from check_desk import Desks
from check_history import History

if TYPE_CHECKING:
    from runner.grader import Convex


def test_customers_are_added(convex: Convex) -> None:
    """Customers have the codes, names, addresses and terms that the old desk takes."""
    desks = Desks(convex)
    for terms in ("30", "007", "1e1", "12.5", "abc", "", "91", "-1", "90", "0x10", "30 days"):
        desks.add_customer(f"c{terms}", terms=terms)
    desks.add_customer("none", terms=None)
    for code in ("Ärzte", "ärzte", "ÄRZTE", "ab_c", "AB_C", "ABZ", "abd"):
        desks.add_customer(code)
    for name in ("", "  ", "\t", "\u00a0", "x" * 41, "🧾" * 40, f"  {'y' * 40}  ", "🧾" * 41):
        desks.add_customer(f"name {name}", name=name)
    for code, email in (("e1", "a@x"), ("e2", "A@x"), ("e3", "a@x"), ("e4", ""), ("e5", "")):
        desks.add_customer(code, email=email)
    for parent in (1, 99, None):
        desks.add_customer(f"child of {parent}", parent=parent)
    desks.compare("customers:list")


def test_customers_are_listed_and_found(convex: Convex) -> None:
    """Lists have the old order, and searches find what the old desk finds."""
    desks = Desks(convex)
    names = ["Zoe", "anna", "Émile", "émile", "Anna", "ﬀ", "🧾", "50% off", "a_b", "a.b", "Emile"]
    for number, name in enumerate(names):
        email = (None, f"a_{number}@x.test", f"ab{number}@x.test")[number % 3]
        desks.add_customer(f"{'Kk_'[number % 3]}{number}", name=name, email=email)
    desks.compare("customers:list")
    for text in ("A", "é", "É", "%", "__", "a_b", ".", "k0", "_2", "a_", "ab2", "", "🧾", "🧾_"):
        desks.compare("customers:search", text=text, limit=-1, offset=0)
    for limit, offset in ((3, 2), (-1, 8), (2, -3), (0, 0), (5, 40)):
        desks.compare("customers:search", text="", limit=limit, offset=offset)


def test_ids_are_used_again(convex: Convex) -> None:
    """Ids of deleted rows are used again where SQLite does, and only there."""
    desks = Desks(convex)
    for code in "abcd":
        desks.add_customer(code)
    for number in (2, 4, 9):
        desks.compare("customers:drop", id=number)
    desks.add_customer("e")
    desks.add_customer("f", parent=5)
    desks.compare("customers:drop", id=5)
    for customer in (1, 3):
        desks.compare("invoices:draft", customer=customer, note=None)
    desks.compare("invoices:drop", invoice=2)
    desks.compare("invoices:draft", customer=3, note=None)
    desks.compare("invoices:draft", customer=3, note="second")
    desks.compare("invoices:draft", customer=4, note="third")
    for number in range(3):
        desks.compare("lines:addWork", invoice=1, price=100 + number)
    for line in (1, 3):
        desks.compare("lines:remove", line=line)
    desks.compare("lines:addWork", invoice=1, price=5)
    desks.pay(None, "x", 1)
    desks.pay(None, "y", 2)
    desks.compare("payments:remove", payment=2)
    desks.pay(None, "z", 3)
    desks.compare_all()


def test_address_book_is_loaded(convex: Convex) -> None:
    """The address book changes known customers as before, or is refused as a whole."""
    desks = Desks(convex)
    desks.add_customer("K1", name="Kay", terms="20")
    desks.add_customer("K2", name="Kim")
    for rows in (
        [("k1", "Kay", 50), ("K2", "Kim", "030"), ("k3", "Kai", None), ("K3", "Kai", 7)],
        [("k1", "Kay B.", 10), ("K2", "Kim B.", 9)],
        [("k4", "New", 5), ("k4", "New", 9), ("K4", "Newer", "6.5"), ("k1", "Kay C.", None)],
        [("k5", "Lost", 5), ("K1", None, 5)],
        [("k5", "Lost", 5), ("K1", "Kay C.", 91)],
        [("k5", "Lost", 5), ("K1", "  ", 5)],
        [("k6", "Kept", 5), ("K6", "Kept", 6), ("é", "e", 1), ("É", "E", 2)],
        [],
    ):
        named = [dict(zip(("code", "name", "terms"), row, strict=True)) for row in rows]
        desks.compare("customers:load", rows=named)
    desks.compare("customers:rename", id=1, code="K1", name=None)
    desks.compare("customers:rename", id=1, code="k2", name=None)
    desks.compare("customers:rename", id=2, code="É", name="other")
    desks.compare("customers:rename", id=2, code="k22", name=" ")
    desks.compare("customers:rename", id=70, code="k22", name=" ")
    desks.compare("customers:list")


def test_customers_are_merged_and_dropped(convex: Convex) -> None:
    """A merge or removal takes along, empties or is refused because of what refers to it."""
    desks = Desks(convex)
    for code, email, parent in (
        *(("a", None, None), ("b", "b@x", 1), ("c", None, 2), ("d", "d@x", 2), ("e", "e@x", 4)),
        *(("f", "f@x", None), ("g", None, 6), ("h", "h@x", 7)),
    ):
        desks.add_customer(code, email=email, parent=parent)
    for customer in (1, 2, 3, 4, 7):
        desks.bill(customer, issue=customer in {2, 4})
    for source, target in (
        *((2, 1), (2, 3), (3, 1), (2, 4), (9, 1), (1, 9), (8, 9), (8, 8)),
        *((4, 5), (4, 6), (3, 3), (1, 1)),
    ):
        desks.compare("customers:merge", **{"from": source, "into": target})
        desks.compare("customers:list")
    desks.bill(6)
    desks.compare("payments:receive", invoice=7, day="2025-01-02", cents=5)
    for customer in (6, 7, 5, 4, 1, 1):
        desks.compare("customers:drop", id=customer)
    desks.compare_all()


def test_rates_are_replaced_and_renamed(convex: Convex) -> None:
    """A rate that is put again or renamed changes lines, taxes and totals as before."""
    desks = Desks(convex)
    for code, percent in (("Std", None), ("low", 7), ("high", 100), ("é", 5), ("É", 6)):
        desks.compare("rates:put", code=code, percent=percent)
    for customer in range(1, 4):
        desks.add_customer(f"c{customer}")
        desks.compare("invoices:draft", customer=customer, note=None)
    for invoice, rate, price in (
        *((1, "std", -55), (1, "Std", 999), (1, "LOW", -7), (1, None, 1000)),
        *((2, "STD", 33), (2, "É", -33), (3, "low", 150), (3, "none", 1)),
    ):
        desks.add_line(invoice, rate=rate, price=price)
    desks.compare_all()
    desks.compare("invoices:issue", invoice=3, day="2025-03-01")
    for source, target in (("std", "STD"), ("Std", "low"), ("x", "y"), ("low", "Tiny")):
        desks.compare("rates:rename", **{"from": source, "to": target})
        desks.compare("invoices:list")
    for code, percent in (("std", 21), ("tiny", 120), ("TINY", None)):
        desks.compare("rates:put", code=code, percent=percent)
        desks.compare("invoices:list")


def test_lines_change_totals(convex: Convex) -> None:
    """Lines count, are taxed, changed and removed as before, in drafts and later."""
    desks = Desks(convex)
    desks.compare("rates:put", code="std", percent=19)
    desks.compare("rates:put", code="minus", percent=-3)
    for code in "ab":
        desks.add_customer(code)
    desks.compare("invoices:draft", customer=1, note=None)
    for quantity in ("3", " 3 pcs", "1e2", "2.9", "-2", "+4", "", "none", "0", "0x10", "-", "1,5"):
        desks.add_line(1, quantity=quantity, rate="STD", price=-37)
    desks.add_line(1, price=33, rate="minus")
    desks.add_line(9)
    for text in (None, "cable"):
        desks.compare("lines:add", invoice=1, text=text, quantity="1", price=0, rate=None)
    desks.compare("lines:addWork", invoice=1, price=12)
    for line in (8, 9, 10, 40):
        desks.compare("lines:describe", line=line, text="more")
    desks.compare("lines:list", invoice=1)
    desks.compare("lines:change", line=1, price=None, rate="minus")
    desks.compare("lines:change", line=2, price=50, rate=None)
    desks.compare("lines:change", line=2, price=51, rate="other")
    desks.compare("lines:change", line=60, price=51, rate="other")
    desks.compare_all()
    desks.compare("invoices:issue", invoice=1, day="2025-03-01")
    desks.add_line(1, price=1)
    desks.compare("lines:change", line=3, price=7, rate="std")
    desks.compare("lines:remove", line=4)
    desks.compare_all()
    desks.compare("invoices:draft", customer=2, note="all gone")
    desks.compare("lines:addWork", invoice=2, price=12)
    desks.compare("lines:remove", line=desks.find_newest("lines"))
    desks.compare("lines:addWork", invoice=2, price=15)
    desks.compare("invoices:issue", invoice=2, day="2025-03-01")
    newest = desks.find_newest("lines")
    desks.compare("lines:change", line=newest, price=20, rate="std")
    desks.compare("invoices:issue", invoice=2, day="2025-03-01")
    desks.compare_all()


def test_invoices_are_issued(convex: Convex) -> None:
    """Numbers, due days, notes and states of invoices follow the old rules."""
    desks = Desks(convex)
    for number, terms in enumerate(("30", None, "12.5", "0", "0.5"), start=1):
        desks.add_customer(f"c{number}", terms=terms)
    days = ("2025-01-31", "2024-02-29", "2024-12-31", "2025-12-31", "2024-02-01")
    for customer, day in enumerate(days, start=1):
        note = "first" if customer % 2 else None
        desks.compare("invoices:draft", customer=customer, note=note)
        desks.compare("invoices:issue", invoice=customer, day=day)
        desks.compare("lines:addWork", invoice=customer, price=customer * 100 - 250)
        desks.compare("invoices:cancel", invoice=customer)
        desks.compare("invoices:issue", invoice=customer, day=day)
        desks.compare("invoices:issue", invoice=customer, day="2026-01-01")
    desks.compare_all()
    for invoice in (1, 2, 2, 1, 9):
        desks.compare("invoices:cancel", invoice=invoice)
        desks.compare("invoices:drop", invoice=invoice)
    desks.bill(1, issue=True, day="2024-05-05")
    desks.bill(2, issue=True, day="2025-05-05")
    desks.compare("invoices:draft", customer=70, note=None)
    desks.compare_all()


def test_credits_and_instalments(convex: Convex) -> None:
    """Credits and instalments are rounded and spread over the months as before."""
    desks = Desks(convex)
    desks.compare("rates:put", code="std", percent=19)
    for customer, prices in ((1, (55, -55, 25, 1001, -333)), (2, (-1000,)), (3, (7, 3))):
        desks.add_customer(f"c{customer}")
        desks.compare("invoices:draft", customer=customer, note=None)
        for price in prices:
            rate = "STD" if price % 3 else None
            desks.compare(
                "lines:add", invoice=customer, text=None, quantity="1", price=price, rate=rate
            )
    desks.compare("invoices:credit", invoice=3, percent=50)
    for invoice in (1, 2):
        desks.compare("invoices:issue", invoice=invoice, day="2025-03-01")
        desks.compare("invoices:credit", invoice=invoice, percent=50)
        desks.compare("invoices:credit", invoice=invoice, percent=10)
    desks.compare("invoices:credit", invoice=80, percent=10)
    for invoice, day, parts in (
        *((1, "2025-01-31", 5), (2, "2023-12-30", 3), (1, "2024-01-31", 2), (1, "2025-08-31", 0)),
        *((2, "2025-08-31", -2), (3, "2025-05-31", 1), (80, "2025-05-31", 1)),
    ):
        desks.compare("invoices:split", invoice=invoice, day=day, parts=parts)
    desks.compare("lines:list", invoice=4)
    desks.compare("lines:list", invoice=5)
    desks.compare("invoices:drop", invoice=3)
    desks.compare_all()


def test_payments_are_recorded(convex: Convex) -> None:
    """Payments, refunds and removals move invoices, debts and the journal as before."""
    desks = Desks(convex)
    for customer in (1, 2, 3):
        desks.add_customer(f"c{customer}")
        desks.bill(customer, issue=customer != 3, price=1000 * customer)
    desks.pay(2, None, 50, "card")
    desks.compare("customers:list")
    for invoice, ref, cents, method in (
        *((1, "a", 400, "card"), (1, "a", 600, "bank"), (1, "a", 1, "card"), (1, "a", 1, None)),
        *((1, "a", 2, None), (2, None, -5, "card"), (2, None, 2100, "card"), (2, "b", -200, "x")),
        *((3, "c", 50, "x"), (9, "d", 50, "x"), (None, "e", 50, "x"), (2, "f", 0, "x")),
        (2, "g", -5000, "x"),
    ):
        desks.pay(invoice, ref, cents, method)
    desks.compare_all()
    desks.compare("payments:receive", invoice=3, day="2025-06-02", cents=7)
    desks.compare("payments:receive", invoice=8, day="2025-06-02", cents=7)
    desks.compare("invoices:drop", invoice=3)
    desks.add_customer("c4")
    desks.bill(4)
    desks.compare("invoices:drop", invoice=4)
    for payment in (2, 1, 3, 5, 6, 7, 7, 30):
        desks.compare("payments:remove", payment=payment)
        desks.compare("invoices:list")
    desks.pay(2, "b", 2000, "y")
    desks.compare_all()


def test_bank_statements_are_loaded(convex: Convex) -> None:
    """A bank's statement leaves out the rows that the old desk leaves out, with their effects."""
    desks = Desks(convex)
    for customer in (1, 2):
        desks.add_customer(f"c{customer}")
        desks.bill(customer, issue=True, price=1000)
    desks.pay(1, "known", 10, "card")
    for rows in (
        [(1, "known", "0100", "card"), (1, "known", "0100", "bank"), (1, "new", 12.5, "card")],
        [(1, "t1", "12.0", "b"), (1, "t2", "12,0", "b"), (1, "t3", "1e2", "b"), (1, "t4", "", "b")],
        [(1, None, 5, None), (1, None, 5, None), (1, "t1", 5, None), (2, "t5", 0, "b")],
        [(2, "back", -300, "b"), (2, "back", -300, "c"), (2, "t6", 900, "b"), (2, "t7", 200, "b")],
        [(2, "t8", 1, "b"), (9, "t9", 1, "b")],
        [(9, "t6", 1, "b"), (None, "t9", 1, "b")],
        [(9, "u1", 0, "b"), (2, "u2", 1, "b"), (2, "u2", 2, "b")],
    ):
        desks.load_payments(rows)
        desks.compare("invoices:list")
    row = {"invoice": 1, "ref": "no day", "day": None, "cents": 3, "method": "b"}
    desks.compare("payments:load", rows=[row, {**row, "day": "2025-06-04"}])
    desks.load_payments([(1, f"rest {number}", 200, "b") for number in range(5)])
    desks.compare_all()


def test_payments_are_corrected(convex: Convex) -> None:
    """A correction replaces a payment, with the effects that it had before."""
    desks = Desks(convex)
    desks.add_customer("c1")
    desks.bill(1, issue=True, price=1000)
    for ref in "abc":
        desks.pay(1, ref, 100, "card")
    for invoice, ref, cents, method in (
        *((1, "c", 150, "card"), (1, "a", 700, "card"), (None, "b", 5, "card"), (1, "b", 6, "x")),
        *((1, "c", -9000, "card"), (9, "c", 5, "card"), (1, "c", 0, "card"), (1, "new", 5, "card")),
    ):
        desks.compare(
            "payments:correct",
            invoice=invoice,
            ref=ref,
            day="2025-06-03",
            cents=cents,
            method=method,
        )
        desks.compare("invoices:list")
    desks.compare("payments:remove", payment=5)
    desks.compare("payments:remove", payment=4)
    desks.compare_all()


def test_reminders_are_sent(convex: Convex) -> None:
    """Reminders rise by level, are counted and keep their fees as before."""
    desks = Desks(convex)
    for number, terms in enumerate(("0", None, "14", "30"), start=1):
        desks.add_customer(f"c{number}", terms=terms)
        desks.bill(number, issue=True, price=500, day=f"2025-03-0{number}")
    for day, fee in (
        *(("2025-03-10", None), ("2025-03-11", 5), ("2025-03-16", 5), ("2025-03-14", 9)),
        *(("2025-03-20", 3), ("2025-03-20", 8), ("2025-03-31", None), ("2025-04-20", 8)),
    ):
        desks.compare("reminders:send", day=day, fee=fee)
        desks.compare("reminders:list")
    desks.compare("invoices:cancel", invoice=1)
    desks.compare("payments:receive", invoice=2, day="2025-04-20", cents=500)
    desks.compare("reminders:send", day="2025-05-20", fee=8)
    desks.compare_all()


def test_books(convex: Convex) -> None:
    """The reports count, sum, group and sort as before."""
    desks = Desks(convex)
    desks.compare_all(books=True)
    desks.compare("rates:put", code="std", percent=19)
    for number, terms in enumerate(("0", "30", None, "60", "5"), start=1):
        email = f"c{number}@x" if number % 2 else None
        desks.add_customer("AbÉ_z"[number - 1], email=email, terms=terms)
    days = ("2025-01-01", "2025-02-01", "2025-02-02", "2025-03-01")
    for customer, day in enumerate(days, start=1):
        desks.bill(customer, issue=True, price=-301 * (-1) ** customer, day=day, rate="STD")
        desks.compare("invoices:draft", customer=customer, note=None)
        desks.compare("lines:addWork", invoice=2 * customer, price=50)
    desks.compare("invoices:issue", invoice=2, day="2025-03-05")
    for invoice, ref, cents, method in (
        *((2, "p", 10, "x"), (2, None, 15, "y"), (1, "q", 3, "x"), (3, "q", 2, None)),
        *((2, "r", -4, "x"), (4, "r", 3, "z")),
    ):
        desks.pay(invoice, ref, cents, method)
    desks.compare("invoices:cancel", invoice=7)
    desks.compare_all(books=True)
    for since in ("2025-06-01", "2025-06-02", "2026-01-01"):
        desks.compare("books:unpaid", since=since)
    desks.pay(None, None, 5, "x", day="2025-05-30")
    desks.pay(1, None, 5, "x", day="2025-05-29")
    for since in ("2025-05-29", "2025-05-30", "2025-05-31"):
        desks.compare("books:unpaid", since=since)
    for day in ("2024-12-01", "2025-01-31", "2025-03-03", "2025-07-01"):
        desks.compare("books:ages", day=day)
    for start, end in (("2025-01-01", "2025-02-28"), ("2025-03-01", "2025-01-01")):
        desks.compare("books:taxes", **{"from": start, "to": end})
    for limit in (-1, 0, 3):
        desks.compare("books:journal", limit=limit)
    desks.compare("payments:list")


def test_long_histories(convex: Convex) -> None:
    """Long histories of all calls, at random, have the results of the old desk."""
    for seed in range(3):
        desks = Desks(convex)
        history = History(random.Random(seed))  # noqa: S311 - not a secret
        for _ in range(4):
            for path, args in history.list_calls(18):
                desks.compare(path, **args)
            desks.compare("invoices:list")
            desks.compare("customers:list")
        desks.compare_all(books=True)
