# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Hours, invoices and payments, whose kept figures must count every change."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

RATE = 8000
"""Cents an hour: 25 minutes are 3,333, and 50 minutes 6,667."""
DAY = 24 * 3600
MONTH = "2026-10"
RATES = "https://rates.tally.test/interest/*"
FILE = "https://files.tally.test/hours.json"

Row = dict[str, Any]


class Office:
    """An office's clients, projects and members, made by the app's own functions."""

    def __init__(self, convex: Convex) -> None:
        """Begin with a client of two projects, and a member."""
        self.convex = convex
        self.client = self.add_client()
        self.site = self.add_project()
        self.shop = self.add_project()
        self.ada = self.add_member()

    def add_client(self) -> str:
        """Add a client."""
        return cast("str", self.convex.mutation("clients:create", {"name": "Trust"}))

    def add_project(self, client: str | None = None) -> str:
        """Add a project of the client."""
        args = {"client": client or self.client, "name": "Site"}
        return cast("str", self.convex.mutation("projects:create", args))

    def add_member(self) -> str:
        """Add a member."""
        return cast("str", self.convex.mutation("members:create", {"name": "Ada", "rate": RATE}))

    def row(self, day: str, minutes: int, project: str | None = None, member: str = "") -> Row:
        """Return a row of a timesheet."""
        return {
            "project": project or self.site,
            "member": member or self.ada,
            "day": day,
            "minutes": minutes,
        }

    def log(self, *rows: Row) -> list[str]:
        """Log rows, one after the other."""
        return [cast("str", self.convex.mutation("entries:log", row)) for row in rows]

    def issue(self, project: str, *amounts: int) -> str:
        """Issue an invoice of a project over hours that cost these amounts, in whole euros."""
        for euros in amounts:
            self.log(self.row("2026-10-05", euros * 6000 // RATE, project))
        args = {"project": project, "month": MONTH}
        return cast("str", self.convex.mutation("invoices:issue", args))

    def pay(self, reference: str, *lines: tuple[str, int]) -> None:
        """Send a transfer with an amount for each invoice."""
        given = [{"invoice": invoice, "amount": amount} for invoice, amount in lines]
        self.convex.mutation("payments:receive", {"reference": reference, "lines": given})

    def balance(self, client: str | None = None) -> object:
        """Read what a client owes."""
        row = cast("Row", self.convex.query("clients:get", {"client": client or self.client}))
        return row["balance"]

    def project(self, project: str) -> tuple[object, object]:
        """Read a project's minutes and what is not billed of it."""
        row = cast("Row", self.convex.query("projects:get", {"project": project}))
        return row["minutes"], row["unbilled"]

    def invoices(self) -> list[Row]:
        """Read the client's invoices."""
        return cast("list[Row]", self.convex.query("invoices:ofClient", {"client": self.client}))

    def month(self, month: str) -> Row:
        """Read a month of the client."""
        year = cast(
            "list[Row]",
            self.convex.query("clients:year", {"client": self.client, "year": month[:4]}),
        )
        return next(row for row in year if row["month"] == month)


@pytest.fixture
def office(convex: Convex) -> Office:
    """Return an office that has just begun."""
    return Office(convex)


def check_figures(convex: Convex) -> None:
    """Demand that every kept figure is what the stored rows add up to."""
    projects = {row["_id"]: row for row in convex.table("projects")}
    entries = convex.table("entries")
    invoices = [row for row in convex.table("invoices") if row["state"] != "void"]
    payments = convex.table("payments")
    charges = convex.table("charges")

    minutes: dict[str, float] = defaultdict(float)
    unbilled: dict[str, float] = defaultdict(float)
    days: dict[str, str] = {}
    balances: dict[str, float] = defaultdict(float)
    months: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for entry in entries:
        client = projects[entry["project"]]["client"]
        for owner in (entry["project"], entry["member"], client):
            minutes[owner] += entry["minutes"]
        if "invoice" not in entry:
            unbilled[entry["project"]] += entry["amount"]
        days[client] = max(days.get(client, ""), entry["day"])
        months[client, entry["day"][:7]]["minutes"] += entry["minutes"]
    for invoice in invoices:
        balances[invoice["client"]] += invoice["amount"]
        months[invoice["client"], invoice["month"]]["billed"] += invoice["amount"]
    for charge in charges:
        balances[charge["client"]] += charge["amount"]
    for payment in payments:
        balances[payment["client"]] -= payment["amount"]
        months[payment["client"], payment["month"]]["paid"] += payment["amount"]

    for project in projects.values():
        assert project["minutes"] == minutes[project["_id"]], "a project's minutes"
        assert project["unbilled"] == unbilled[project["_id"]], "what a project has not billed"
    for member in convex.table("members"):
        assert member["minutes"] == minutes[member["_id"]], "a member's minutes"
    for client in convex.table("clients"):
        assert client["stats"]["minutes"] == minutes[client["_id"]], "a client's minutes"
        assert client["balance"] == balances[client["_id"]], "a client's balance"
    kept = convex.table("months")
    assert len({(row["client"], row["month"]) for row in kept}) == len(kept), "a month kept twice"
    for row in kept:
        month = months.pop((row["client"], row["month"]), defaultdict(float))
        for figure in ("minutes", "billed", "paid"):
            assert row[figure] == month[figure], f"what was {figure} in a month"
    assert not any(any(month.values()) for month in months.values()), "a month is missing"


def test_a_week_is_logged_at_once(convex: Convex, office: Office) -> None:
    """Every row of a week counts, for its project, member, client and month."""
    bo = office.add_member()
    rows = [
        office.row("2026-09-29", 25),
        office.row("2026-09-30", 25),
        office.row("2026-10-01", 50, office.shop, bo),
        office.row("2026-09-30", 25, office.shop),
        office.row("2026-10-02", 10, office.site, bo),
        office.row("2026-10-02", 10, office.site, bo),
    ]
    ids = cast("list[str]", convex.mutation("entries:logWeek", {"rows": rows}))
    stored = [cast("Row", convex.document("entries", each)) for each in ids]
    assert [{name: entry[name] for name in rows[0]} for entry in stored] == rows
    assert office.project(office.site) == (70, 2 * 3333 + 2 * 1333)
    assert office.project(office.shop) == (75, 6667 + 3333)
    assert convex.query("members:get", {"member": bo}) == {
        "name": "Ada",
        "rate": RATE,
        "minutes": 70,
    }
    client = cast("Row", convex.query("clients:get", {"client": office.client}))
    assert (client["minutes"], client["lastDay"]) == (145, "2026-10-02")
    assert (office.month("2026-09")["minutes"], office.month("2026-10")["minutes"]) == (75, 70)
    check_figures(convex)


def test_single_entries_count_everywhere(convex: Convex, office: Office) -> None:
    """Logged and removed one after the other, on newer and older days, all entries count."""
    days = ["2026-10-05", "2026-10-06", "2026-10-02", "2026-10-09", "2026-10-09", "2026-11-02"]
    entries = office.log(*(office.row(day, 30 + index) for index, day in enumerate(days)))
    client = cast("Row", convex.query("clients:get", {"client": office.client}))
    assert (client["minutes"], client["lastDay"]) == (195, "2026-11-02")
    check_figures(convex)
    convex.mutation("entries:remove", {"entries": [entries[0], entries[3], entries[0]]})
    assert office.project(office.site)[0] == 195 - 30 - 33
    check_figures(convex)


@pytest.mark.parametrize("where", ["same_client", "same_project", "other_client"])
def test_an_entry_is_moved(convex: Convex, office: Office, where: str) -> None:
    """Wherever an entry is moved to, its minutes are counted there, and once."""
    targets = {"same_client": office.shop, "same_project": office.site}
    to = targets.get(where) or office.add_project(office.add_client())
    entry, *_ = office.log(
        office.row("2026-10-05", 25),
        office.row("2026-10-06", 50),
        office.row("2026-10-06", 10, to),
    )
    convex.mutation("entries:move", {"entry": entry, "to": to})
    expected = (85, 3333 + 6667 + 1333) if to == office.site else (35, 3333 + 1333)
    assert office.project(to) == expected
    check_figures(convex)


def test_a_project_is_merged(convex: Convex, office: Office) -> None:
    """Merged with a note or without, a project has the time of both, and the note is kept."""
    third = office.add_project()
    office.log(
        office.row("2026-10-05", 25),
        office.row("2026-10-06", 50),
        office.row("2026-10-06", 10, office.shop),
        office.row("2026-09-06", 10, third),
    )
    for source, note in ((third, "third is in here"), (office.site, "so is the site")):
        args = {"from": source, "into": office.shop, "note": note}
        convex.mutation("projects:merge", args)
    project = cast("Row", convex.query("projects:get", {"project": office.shop}))
    assert (project["minutes"], project["unbilled"]) == (95, 2 * 1333 + 3333 + 6667)
    assert project["note"] == "third is in here\nso is the site"
    assert project["state"] == "open"
    closed = cast("Row", convex.query("projects:get", {"project": office.site}))
    assert (closed["state"], closed["minutes"], closed["unbilled"]) == ("closed", 0, 0)
    check_figures(convex)
    fourth = office.add_project()
    office.issue(office.shop)
    office.log(office.row("2026-10-07", 5, office.shop))
    convex.mutation("projects:merge", {"from": office.shop, "into": fourth})
    assert (office.project(office.shop)[0], office.project(fourth)[0]) == (95, 5)
    check_figures(convex)


def test_all_projects_are_billed(convex: Convex, office: Office) -> None:
    """Each project gets an invoice with a number of its own, and the client owes all of them."""
    other = office.add_client()
    office.log(
        office.row("2026-10-05", 25),
        office.row("2026-10-06", 25),
        office.row("2026-10-06", 50, office.shop),
        office.row("2026-10-06", 10, office.add_project()),
        office.row("2026-10-06", 10, office.add_project(other)),
    )
    office.add_project()
    args = {"client": office.client, "month": MONTH}
    assert convex.mutation("invoices:issueAll", args) == 3
    assert convex.mutation("invoices:issueAll", args) == 0
    assert convex.mutation("invoices:issueAll", {"client": other, "month": MONTH}) == 1
    assert sorted(row["number"] for row in office.invoices()) == [1, 2, 3]
    assert sorted(row["amount"] for row in office.invoices()) == [1333, 6666, 6667]
    assert office.balance() == 1333 + 6666 + 6667
    assert office.month(MONTH)["billed"] == 1333 + 6666 + 6667
    check_figures(convex)


def test_an_invoice_is_taken_back(convex: Convex, office: Office) -> None:
    """All entries of a void invoice can be billed again, and nothing of it is owed."""
    office.log(*(office.row("2026-10-05", minutes) for minutes in (25, 50, 10)))
    invoice = office.issue(office.site)
    office.log(office.row("2026-10-06", 25))
    convex.mutation("invoices:voidInvoice", {"invoice": invoice})
    assert office.project(office.site) == (110, 3333 + 6667 + 1333 + 3333)
    assert office.balance() == 0
    check_figures(convex)
    office.issue(office.site)
    assert [(row["state"], row["amount"]) for row in office.invoices()] == [
        ("void", 11333),
        ("open", 14666),
    ]
    check_figures(convex)


def test_a_transfer_pays_several_invoices(convex: Convex, office: Office) -> None:
    """Each invoice that a transfer names gets its part, and the client owes so much less."""
    first, second = office.issue(office.site, 400), office.issue(office.shop, 120)
    office.pay("T1", (first, 10000), (second, 12000), (first, 5000))
    office.pay("T1", (first, 10000))
    assert [(row["paid"], row["state"]) for row in office.invoices()] == [
        (15000, "open"),
        (12000, "paid"),
    ]
    assert office.balance() == 25000
    assert sum(cast("float", row["paid"]) for row in convex.table("months")) == 27000
    check_figures(convex)
    lines = [{"invoice": first, "amount": 1000}, {"invoice": second, "amount": 1}]
    body = [
        {"reference": "T2", "lines": lines},
        {"reference": "T3", "lines": lines[:1]},
        {"reference": "T3", "lines": lines[:1]},
    ]
    answer = convex.http("POST", "/bank", json=body)
    assert (answer.status, answer.json()) == (200, {"booked": 2, "refused": 1})
    assert office.balance() == 24000
    check_figures(convex)


def test_retainers_that_fall_due_together(convex: Convex, office: Office) -> None:
    """Every retainer of a client is charged, whatever else is due, and again after its days."""
    for client, amount, days in (
        (office.client, 500, 2),
        (office.client, 30, 2),
        (office.add_client(), 7, 2),
        (office.client, 1000, 3),
    ):
        args = {"client": client, "text": "Hosting", "amount": amount, "everyDays": days}
        convex.mutation("retainers:add", args)
    convex.clock.advance(2.5 * DAY)
    assert office.balance() == 530
    check_figures(convex)
    convex.clock.advance(2 * DAY)
    assert office.balance() == 2 * 530 + 1000
    check_figures(convex)


def test_interest_while_money_comes(convex: Convex, office: Office) -> None:
    """Payments and bills meanwhile count; interest is on the debt when the bank was asked."""
    invoice = office.issue(office.site, 400)
    convex.stub_fetch(RATES, json={"basisPoints": 150}, after=60)
    convex.mutation("interest:start", {"clients": [office.client]})
    convex.clock.advance(30)
    office.pay("T1", (invoice, 30000))
    office.issue(office.shop, 20)
    convex.mutation("interest:start", {"clients": [office.client]})
    convex.clock.advance(120)
    assert office.balance() == 40000 - 30000 + 2000 + 600 + 180
    assert sorted(cast("float", row["amount"]) for row in convex.table("charges")) == [180, 600]
    check_figures(convex)


def test_an_import_of_many_rows(convex: Convex, office: Office) -> None:
    """All right rows of a file are stored and counted, and the wrong ones only counted."""
    closed = office.add_project()
    convex.mutation("projects:close", {"project": closed})
    rows = [office.row(f"2026-{9 + n % 2:02}-{1 + n % 28:02}", 5 + n) for n in range(60)]
    rows[40]["project"] = rows[41]["project"] = office.shop
    rows[3]["project"] = closed
    rows[4]["member"] = "nobody"
    rows[30]["day"] = "2026-02-31x"
    rows[59]["minutes"] = 0
    convex.stub_fetch(FILE, json=rows)
    job = convex.mutation("imports:start", {"url": FILE})
    convex.clock.advance(60)
    assert convex.query("imports:get", {"import": job}) == {
        "state": "done",
        "stored": 56,
        "refused": 4,
    }
    assert len(convex.table("entries")) == 56
    assert office.project(office.shop)[0] == 45 + 46
    check_figures(convex)


def test_cheques_that_clear(convex: Convex, office: Office) -> None:
    """Cheques and transfers for one invoice all count, in whatever order they come and clear."""
    invoice, other = office.issue(office.site, 400), office.issue(office.shop, 20)
    convex.mutation("cheques:deposit", {"invoice": invoice, "amount": 10000})
    convex.mutation("cheques:deposit", {"invoice": other, "amount": 500})
    convex.clock.advance(DAY)
    office.pay("T1", (invoice, 5000), (other, 1500))
    convex.mutation("cheques:deposit", {"invoice": invoice, "amount": 20000})
    convex.clock.advance(2.5 * DAY)
    assert [(row["paid"], row["state"]) for row in office.invoices()] == [
        (15000, "open"),
        (2000, "paid"),
    ]
    office.pay("T2", (invoice, 5000))
    convex.clock.advance(DAY)
    assert office.invoices()[0]["paid"] == 40000
    assert office.invoices()[0]["state"] == "paid"
    assert office.balance() == 0
    check_figures(convex)


def test_cheques_that_wait_at_the_deploy(convex: Convex) -> None:
    """A cheque that was given in before the deploy clears after it, and loses no other payment."""
    convex.deploy("given")
    office = Office(convex)
    invoice = office.issue(office.site, 400)
    convex.mutation("cheques:deposit", {"invoice": invoice, "amount": 10000})
    convex.mutation("cheques:deposit", {"invoice": invoice, "amount": 2000})
    convex.deploy("answer")
    office.pay("T1", (invoice, 5000))
    convex.clock.advance(4 * DAY)
    assert office.invoices()[0]["paid"] == 17000
    assert office.balance() == 23000
    convex.mutation("cheques:deposit", {"invoice": invoice, "amount": 1000})
    convex.clock.advance(4 * DAY)
    assert office.invoices()[0]["paid"] == 18000


def test_what_is_refused_changes_nothing(convex: Convex, office: Office) -> None:
    """A call with one wrong row is refused as before, and nothing of it is stored."""
    first, second = office.issue(office.site, 400), office.issue(office.shop, 120)
    void = office.issue(office.site, 40)
    convex.mutation("invoices:voidInvoice", {"invoice": void})
    half = office.issue(office.site)
    office.pay("T1", (half, 100))
    (entry,) = office.log(office.row("2026-10-07", 25))
    billed = next(row["_id"] for row in convex.table("entries") if "invoice" in row)
    closed = office.add_project()
    convex.mutation("projects:close", {"project": closed})
    foreign = office.add_project(office.add_client())
    day = office.row("2026-10-08", 25)
    tables = ("projects", "clients", "members", "entries", "months", "invoices", "payments")
    before = {table: convex.table(table) for table in tables}

    def describe(*lines: tuple[str, int]) -> Row:
        given = [{"invoice": invoice, "amount": amount} for invoice, amount in lines]
        return {"reference": "T9", "lines": given}

    calls: list[tuple[str, Row, str]] = [
        ("entries:logWeek", {"rows": [day, day | {"project": closed}]}, "project_closed"),
        ("entries:logWeek", {"rows": [day, day | {"minutes": 0}, day]}, "bad_minutes"),
        ("entries:logWeek", {"rows": [day, day | {"day": "today"}]}, "bad_day"),
        ("entries:logWeek", {"rows": [day] * 201}, "too_many_rows"),
        ("entries:remove", {"entries": [entry, billed]}, "on_invoice"),
        ("entries:move", {"entry": entry, "to": closed}, "project_closed"),
        ("entries:move", {"entry": billed, "to": office.shop}, "on_invoice"),
        ("projects:merge", {"from": office.site, "into": foreign}, "other_client"),
        ("projects:merge", {"from": office.site, "into": office.site}, "same_project"),
        ("payments:receive", describe((first, 10), (second, 12001)), "overpaid"),
        ("payments:receive", describe((first, 39999), (second, 1), (first, 2)), "overpaid"),
        ("payments:receive", describe((first, 10), (second, 0)), "bad_amount"),
        ("payments:receive", describe((first, 10), (void, 10)), "no_invoice"),
        ("cheques:deposit", {"invoice": first, "amount": 40001}, "overpaid"),
        ("cheques:deposit", {"invoice": first, "amount": 0}, "bad_amount"),
        ("cheques:deposit", {"invoice": void, "amount": 10}, "no_invoice"),
        ("invoices:voidInvoice", {"invoice": void}, "not_open"),
        ("invoices:voidInvoice", {"invoice": half}, "not_open"),
    ]
    for path, args, data in calls:
        with pytest.raises(FunctionFailed) as refusal:
            convex.mutation(path, args)
        assert refusal.value.data == data, path
    with pytest.raises(FunctionFailed):
        convex.mutation("interest:start", {"clients": [office.site]})
    assert {table: convex.table(table) for table in tables} == before
    check_figures(convex)


def test_lists_stay(convex: Convex, office: Office) -> None:
    """Entries and invoices are listed as before, those of one project and of one client."""
    office.log(office.row("2026-10-05", 25), office.row("2026-10-04", 50))
    office.log(office.row("2026-10-06", 10, office.shop))
    member_view = {"member": "Ada"}
    args = {"project": office.site}
    assert convex.query("entries:ofProject", args) == [
        {"day": "2026-10-04", "minutes": 50, "amount": 6667, **member_view},
        {"day": "2026-10-05", "minutes": 25, "amount": 3333, **member_view},
    ]
    other = office.add_project(office.add_client())
    invoices = [office.issue(office.shop), office.issue(other, 20), office.issue(office.site)]
    assert [(row["_id"], row["number"], row["amount"]) for row in office.invoices()] == [
        (invoices[0], 1, 1333),
        (invoices[2], 3, 10000),
    ]
