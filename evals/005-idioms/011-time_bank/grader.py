# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A time bank: refused calls leave nothing behind, and earlier remains are taken back."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

DAY = 24 * 60 * 60
WEEK = 7 * DAY
CREDIT = 120
COMPLETE = 700
TABLES = ("members", "bookings", "entries", "months", "tasks", "events", "guests", "orders")
SHORT = {"ok": False, "reason": "ada has too few minutes"}
DONE = {"ok": True, "reason": None}


@dataclass(frozen=True)
class Bank:
    """A time bank with its members."""

    convex: Convex
    ids: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def staff(self) -> Convex:
        """The bank as its staff sees it."""
        return self.convex.as_user("sam", role="staff")

    def join(self, *names: str) -> None:
        """Let people become members."""
        for name in names:
            self.ids[name] = self.convex.as_user(name).mutation("members:join", {"name": name})

    def call(self, name: str, path: str, **args: Any) -> Any:  # noqa: ANN401 - a Convex value
        """Call a mutation as a member."""
        return self.convex.as_user(name).mutation(path, args)

    def ask(self, name: str, path: str) -> Any:  # noqa: ANN401 - a Convex value
        """Call a query as a member."""
        return self.convex.as_user(name).query(path, {})

    def pay(self, giver: str, taker: str, minutes: int) -> dict[str, Any]:
        """Give minutes to a member."""
        args = {"to": self.ids[taker], "minutes": minutes, "text": f"{giver} to {taker}"}
        return self.call(giver, "payments:pay", **args)

    def freeze(self, name: str, *, frozen: bool = True) -> None:
        """Freeze or thaw a member."""
        args = {"member": self.ids[name], "frozen": frozen}
        self.staff.mutation("members:freeze", args)

    def finish_task(self, customer: str, helper: str, minutes: int) -> str:
        """Ask for help, and let the helper do it."""
        args = {"helper": self.ids[helper], "title": "Ironing", "minutes": minutes}
        task: str = self.call(customer, "tasks:ask", **args)
        self.call(helper, "tasks:finish", task=task)
        return task

    def balances(self) -> dict[str, float]:
        """Return all balances by subject."""
        return {row["subject"]: row["balance"] for row in self.convex.table("members")}

    def tables(self) -> dict[str, Any]:
        """Return all that is stored."""
        return {name: self.convex.table(name) for name in TABLES}

    def months(self, name: str) -> list[tuple[float, float]]:
        """Return what a member earned and spent in the months in which there was something."""
        rows = self.ask(name, "reports:months")
        sums = [(row["earned"], row["spent"]) for row in rows]
        return [pair for pair in sums if pair != (0, 0)]


def open_bank(convex: Convex) -> Bank:
    """Open a bank in which ada has spent all that she can."""
    bank = Bank(convex)
    bank.join("ada", "bo", "cy", "di")
    assert bank.pay("ada", "bo", CREDIT) == DONE
    return bank


def test_a_refused_payment_changes_nothing(convex: Convex) -> None:
    """A payment, also one of a partner, is booked with both entries or not at all."""
    bank = open_bank(convex)
    bank.freeze("cy")
    before = bank.tables()
    assert bank.pay("ada", "di", 1) == SHORT
    assert bank.pay("bo", "cy", 10) == {"ok": False, "reason": "cy is frozen"}
    convex.set_env("PARTNER_KEY", "key")
    headers = {"X-Partner-Key": "key"}
    body: dict[str, Any] = {"from": "ada", "to": "di", "minutes": 5, "text": "Partner"}
    for changes in ({}, {"from": "bo", "to": "cy"}, {"from": "bo", "minutes": -5}):
        args = {**body, **changes}
        response = convex.http("POST", "/partner/minutes", json=args, headers=headers)
        assert response.status == 422
        assert response.json()["ok"] is False
    assert bank.tables() == before
    args = {**body, "from": "bo"}
    response = convex.http("POST", "/partner/minutes", json=args, headers=headers)
    assert (response.status, response.json()) == (200, DONE)
    assert bank.pay("bo", "ada", 20) == DONE
    assert bank.balances() == {"ada": -100, "bo": 95, "cy": 0, "di": 5}
    assert bank.months("bo") == [(120, 25)]
    texts = [entry["text"] for entry in bank.ask("bo", "reports:statement")]
    assert texts == ["bo to ada", "Partner", "ada to bo"]
    for wrong in ({"to": bank.ids["bo"], "minutes": 0.5}, {"to": bank.ids["ada"], "minutes": 5}):
        with pytest.raises(FunctionFailed):
            bank.call("ada", "payments:pay", text="x", **wrong)
    assert bank.staff.query("reports:totals", {}) == {"members": 4, "sum": 0}


def test_a_task_stays_done_until_it_is_settled(convex: Convex) -> None:
    """A task whose customer cannot pay can be settled later."""
    bank = open_bank(convex)
    task = bank.finish_task("ada", "di", 30)
    before = bank.tables()
    assert bank.call("ada", "tasks:settle", task=task) == SHORT
    assert bank.tables() == before
    bank.pay("bo", "ada", 30)
    assert bank.call("ada", "tasks:settle", task=task) == DONE
    assert bank.ask("ada", "tasks:mine")[0]["state"] == "settled"
    assert bank.balances() == {"ada": -120, "bo": 90, "cy": 0, "di": 30}
    with pytest.raises(FunctionFailed, match="the task is settled"):
        bank.call("ada", "tasks:settle", task=task)


def test_an_event_is_paid_by_all_guests_or_by_none(convex: Convex) -> None:
    """While guests cannot pay, all of them are named, and nobody has paid."""
    bank = open_bank(convex)
    bank.freeze("cy")
    event = bank.call("di", "events:announce", title="Dance", fee=20)
    for guest in ("bo", "ada", "cy"):
        bank.call(guest, "events:join", event=event)
    before = bank.tables()
    for _ in range(2):
        answer = bank.call("di", "events:close", event=event)
        assert answer["ok"] is False
        assert sorted(answer["unpaid"]) == ["ada has too few minutes", "cy is frozen"]
        assert bank.tables() == before
    bank.freeze("cy", frozen=False)
    bank.pay("bo", "ada", 20)
    assert bank.call("di", "events:close", event=event) == {"ok": True, "unpaid": []}
    assert bank.balances() == {"ada": -120, "bo": 80, "cy": -20, "di": 60}
    with pytest.raises(FunctionFailed, match="the event is closed"):
        bank.call("di", "events:close", event=event)


def test_standing_orders_are_carried_out_one_by_one(convex: Convex) -> None:
    """An order that cannot be booked is counted, gives nobody minutes, and stops no other."""
    bank = open_bank(convex)
    bank.pay("cy", "bo", CREDIT)
    for giver, taker, minutes in (("ada", "cy", 30), ("cy", "di", 10), ("bo", "di", 40)):
        args = {"to": bank.ids[taker], "minutes": minutes, "text": giver}
        bank.call(giver, "orders:add", **args)
        convex.clock.advance(1)
    bookings = len(convex.table("bookings"))
    convex.clock.advance(WEEK + DAY / 2)
    assert bank.balances() == {"ada": -120, "bo": 200, "cy": -120, "di": 40}
    failures = {name: bank.ask(name, "orders:mine")[0]["failures"] for name in ("ada", "bo", "cy")}
    assert failures == {"ada": 1, "bo": 0, "cy": 1}
    assert len(convex.table("bookings")) == bookings + 1
    bank.pay("bo", "ada", 100)
    convex.clock.advance(WEEK)
    assert bank.balances() == {"ada": -50, "bo": 60, "cy": -100, "di": 90}
    failures = {name: bank.ask(name, "orders:mine")[0]["failures"] for name in ("ada", "bo", "cy")}
    assert failures == {"ada": 0, "bo": 0, "cy": 0}
    assert len(convex.table("entries")) == 2 * len(convex.table("bookings"))


def test_lines_of_an_import_are_booked_one_by_one(convex: Convex) -> None:
    """A line that cannot be booked leaves nothing, and the others are booked."""
    bank = open_bank(convex)
    bank.freeze("cy")
    lines = [
        "bo;di;10;Cooking",
        "ada;di;10;Cooking",
        "bo;cy;10;Cooking",
        "nobody;di;10;Cooking",
        "bo;nobody;10;Cooking",
        "bo;di;much;Cooking",
        "di;ada;25;Singing",
        "ada;bo;25;Ironing",
    ]
    bookings = len(convex.table("bookings"))
    assert bank.staff.action("imports:run", {"lines": lines}) == [2, 3, 4, 5, 6]
    assert bank.balances() == {"ada": -120, "bo": 135, "cy": 0, "di": -15}
    assert len(convex.table("bookings")) == bookings + 3
    assert len(convex.table("entries")) == 2 * len(convex.table("bookings"))
    assert bank.months("di") == [(10, 25)]
    with pytest.raises(FunctionFailed):
        convex.as_user("ada").action("imports:run", {"lines": ["bo;di;10;x"]})


def test_who_may_not_leave_keeps_everything(convex: Convex) -> None:
    """Members who cannot leave yet keep tasks and orders; those who leave give all to the chest."""
    bank = open_bank(convex)
    args = {"helper": bank.ids["di"], "title": "Knitting", "minutes": 5}
    bank.call("bo", "tasks:ask", **args)
    task = bank.finish_task("bo", "di", 30)
    bank.call("bo", "orders:add", to=bank.ids["di"], minutes=5, text="x")
    before = bank.tables()
    answer = bank.call("bo", "members:leave")
    assert answer == {"ok": False, "reason": "a task is not settled"}
    assert bank.tables() == before
    assert bank.call("bo", "tasks:settle", task=task) == DONE
    bank.freeze("bo")
    before = bank.tables()
    assert bank.call("bo", "members:leave") == {"ok": False, "reason": "bo is frozen"}
    assert bank.tables() == before
    bank.freeze("bo", frozen=False)
    assert bank.call("bo", "members:leave") == DONE
    assert bank.call("ada", "members:leave") == DONE
    assert bank.balances() == {"cy": 0, "di": 30, "chest": -30}
    assert convex.table("orders") == []
    assert [row["state"] for row in convex.table("tasks")] == ["settled"]


def leave_halves_behind(bank: Bank) -> str:
    """Let calls of the given app leave parts behind. Returns a task that was half settled."""
    bank.join("ada", "bo", "cy", "di", "eve")
    assert bank.pay("ada", "bo", 100) == DONE
    assert bank.pay("ada", "bo", 60) == SHORT
    assert bank.pay("bo", "di", 120) == DONE
    task = bank.finish_task("cy", "di", 130)
    assert bank.call("cy", "tasks:settle", task=task)["ok"] is False
    event = bank.call("eve", "events:announce", title="Dance", fee=30)
    for guest in ("bo", "ada"):
        bank.call(guest, "events:join", event=event)
    assert bank.call("eve", "events:close", event=event)["ok"] is False
    bank.freeze("cy")
    assert bank.pay("bo", "cy", 1)["ok"] is False
    bank.freeze("cy", frozen=False)
    assert bank.staff.action("imports:run", {"lines": ["ada;cy;50;x"]}) == [1]
    for name in ("cy", "bo"):
        assert bank.call(name, "members:leave") == DONE
    task = bank.finish_task("eve", "ada", 160)
    assert bank.call("eve", "tasks:settle", task=task)["ok"] is False
    wrong = {"ada": 60, "di": 250, "eve": 30, "chest": 60}
    assert bank.balances() == wrong
    return task


def test_what_was_left_behind_is_taken_back(convex: Convex) -> None:
    """Halves of all kinds are taken back while members go on; those who left are the chest's."""
    convex.deploy("given")
    bank = Bank(convex)
    task = leave_halves_behind(bank)
    convex.deploy("answer")
    for _ in range(2):
        convex.admin.mutation("repairs:run", {})
        assert bank.pay("di", "ada", 25) == DONE
    convex.settle()
    assert bank.balances() == {"ada": -50, "di": 70, "eve": 0, "chest": -20}
    assert bank.staff.query("reports:totals", {})["sum"] == 0
    assert [bank.months(name) for name in ("ada", "di", "eve")] == [[(50, 100)], [(120, 50)], []]
    assert [row["kind"] for row in convex.table("bookings")].count("leaving") == 2
    assert len(convex.table("bookings")) == 6
    assert len(convex.table("entries")) == 12
    before = bank.tables()
    convex.admin.mutation("repairs:run", {})
    convex.settle()
    assert bank.tables() == before
    assert [row["state"] for row in convex.table("tasks")] == ["done", "done"]
    assert all("booking" not in row for row in convex.table("tasks"))
    assert bank.call("eve", "tasks:settle", task=task)["ok"] is False
    assert bank.pay("di", "eve", 50) == DONE
    assert bank.call("eve", "tasks:settle", task=task) == DONE
    assert bank.balances() == {"ada": 110, "di": 20, "eve": -110, "chest": -20}


def insert_booking(bank: Bank, at: float, **minutes: int) -> dict[str, Any]:
    """Store a payment of a moment, with the given entries of the two that it must have."""
    document = {"kind": "payment", "text": "old", "parts": 2, "at": at * 1000}
    booking = bank.convex.insert("bookings", document)
    for name, number in minutes.items():
        entry = {"booking": booking, "member": bank.ids[name], "minutes": number}
        bank.convex.insert("entries", entry)
    return document


def insert_months(bank: Bank, at: float, **sums: tuple[int, int]) -> None:
    """Store what members earned and spent in the month of a moment."""
    month = datetime.fromtimestamp(at, UTC).strftime("%Y-%m")
    for name, (earned, spent) in sums.items():
        row = {"member": bank.ids[name], "month": month, "earned": earned, "spent": spent}
        bank.convex.insert("months", row)


def test_a_large_bank_is_repaired(convex: Convex) -> None:
    """Among many bookings each half is taken back from its own month, also without a chest yet."""
    bank = Bank(convex)
    wrong = {"ada": -COMPLETE - 60 + 7, "bo": COMPLETE + 60 + 30 + 40, "gone": 0}
    for name, balance in wrong.items():
        rest = {"credit": CREDIT, "frozen": name == "ada"}
        member = {"subject": name, "name": name, "balance": balance, **rest}
        bank.ids[name] = convex.insert("members", member)
    now = convex.clock.now()
    first = datetime.fromtimestamp(now, UTC).replace(day=1, hour=0)
    old = first.timestamp() - DAY
    complete = insert_booking(bank, old, ada=-60, bo=60)
    pairs = [
        {"booking": booking, "member": bank.ids[name], "minutes": minutes}
        for booking in convex.insert_many("bookings", [complete] * COMPLETE)
        for name, minutes in (("ada", -1), ("bo", 1))
    ]
    convex.insert_many("entries", pairs)
    insert_booking(bank, old, bo=30)
    insert_booking(bank, old)
    insert_booking(bank, old, gone=40)
    insert_booking(bank, now, gone=-40, bo=40)
    insert_booking(bank, now, ada=7)
    insert_months(bank, old, ada=(0, COMPLETE + 60), bo=(COMPLETE + 90, 0), gone=(40, 0))
    insert_months(bank, now, ada=(7, 0), bo=(40, 0), gone=(0, 40))
    convex.delete("members", bank.ids["gone"])
    convex.limit(documents_read=1200)
    convex.admin.mutation("repairs:run", {})
    convex.settle()
    assert bank.balances() == {"ada": -COMPLETE - 60, "bo": COMPLETE + 100, "chest": -40}
    assert bank.months("ada") == [(0, COMPLETE + 60)]
    assert bank.months("bo") == [(COMPLETE + 60, 0), (40, 0)]
    assert len(convex.table("bookings")) == COMPLETE + 2
    assert len(convex.table("entries")) == 2 * COMPLETE + 4
