# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The desk of a support team, whose every change is in an audit log."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from runner.grader import Convex

TABLES = ("customers", "tickets", "members", "integrations")
SECRET = {"secret", "token"}
HOUR = 3600
DAY = 24 * HOUR
BATCH = 20
HEALTH = "https://shop.test/health"

Change = tuple[str, str, str, str, str]
"""An actor, a kind, a table, a document, and the changes as JSON."""


class Desk:
    """The app, an admin and an agent, and what the log should have by now."""

    def __init__(self, convex: Convex) -> None:
        """Set the desk up."""
        self.convex = convex
        convex.stub_fetch(HEALTH, method="GET", body="ok")
        self.admin, self.agent = convex.as_user("ada"), convex.as_user("bo")
        login = "https://users.test|{}"
        setup = {"token": login.format("ada"), "name": "Ada"}
        self.admin_id = str(convex.admin.mutation("members/manage:setUp", setup))
        member = {"token": login.format("bo"), "name": "Bo", "role": "agent"}
        self.agent_id = str(self.admin.mutation("members/manage:add", member))

    @property
    def as_admin(self) -> str:
        """The admin as an actor."""
        return f"member:{self.admin_id}"

    @property
    def as_agent(self) -> str:
        """The agent as an actor."""
        return f"member:{self.agent_id}"

    def add_customer(self, name: str = "Ida") -> str:
        """Add a customer."""
        args = {"name": name, "email": f"{name}@Post.test", "phone": f"555-{name}"}
        return str(self.agent.mutation("customers/manage:add", args))

    def open_ticket(self, customer: str, text: str = "It does not work.") -> str:
        """Open a ticket."""
        args = {"customer": customer, "subject": "Help", "text": text, "priority": "normal"}
        return str(self.agent.mutation("tickets/manage:open", args))

    def send(self, secret: str, email: str, text: str) -> int:
        """Send what a customer wrote, as a connected program, and return the status."""
        headers = {"Authorization": f"Bearer {secret}"}
        body = {"email": email, "name": "Eve", "text": text}
        return self.convex.http("POST", "/inbound", json=body, headers=headers).status

    def read(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Return the documents of which there is a log."""
        return {
            (table, row["_id"]): {
                name: value for name, value in row.items() if name not in {"_id", "_creationTime"}
            }
            for table in TABLES
            for row in self.convex.table(table)
        }

    def check(self, actor: str, act: Callable[[], object]) -> None:
        """Demand that the log has exactly the changes of an act, and its actor."""
        before, entries_before = self.read(), len(self.convex.table("audit"))
        began = self.convex.clock.now()
        act()
        after, entries = self.read(), self.convex.table("audit")[entries_before:]
        assert merge_entries(entries) == list_changes(actor, before, after)
        for entry in entries:
            assert 1000 * began - 1 <= entry["at"] <= 1000 * self.convex.clock.now() + 1


def list_changes(
    actor: str,
    before: dict[tuple[str, str], dict[str, Any]],
    after: dict[tuple[str, str], dict[str, Any]],
) -> list[Change]:
    """Return the entries for the differences of two states of the documents."""
    changes: list[Change] = []
    for key in before.keys() | after.keys():
        former, present = before.get(key), after.get(key)
        if former == present:
            continue
        kind = "created" if former is None else "deleted" if present is None else "changed"
        fields = [
            (name, show(name, (former or {}).get(name)), show(name, (present or {}).get(name)))
            for name in (former or {}).keys() | (present or {}).keys()
            if (former or {}).get(name) != (present or {}).get(name)
        ]
        changes.append((actor, kind, *key, json.dumps(sorted(fields, key=str))))
    return sorted(changes)


def show(field: str, value: object) -> object:
    """Return a value as the log has it."""
    return "***" if field in SECRET and value is not None else value


def merge_entries(entries: list[dict[str, Any]]) -> list[Change]:
    """Return entries, with those of one document as one: a mutation may write it in steps."""
    steps: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for entry in entries:
        key = (entry["actor"], entry["table"], entry["document"])
        steps.setdefault(key, []).append(entry)
    merged: list[Change] = []
    for (actor, table, document), parts in steps.items():
        kinds = [part["kind"] for part in parts]
        kind = next((each for each in ("created", "deleted") if each in kinds), "changed")
        fields: dict[str, list[object]] = {}
        for change in (change for part in parts for change in part["changes"]):
            first = fields.setdefault(change["field"], [change["from"], None])
            first[1] = change["to"]
        rows = [(name, *ends) for name, ends in fields.items() if ends[0] != ends[1]]
        rows += [(name, "***", "***") for name, ends in fields.items() if ends == ["***", "***"]]
        merged.append((actor, kind, table, document, json.dumps(sorted(rows, key=str))))
    return sorted(merged)


@pytest.fixture
def desk(convex: Convex) -> Desk:
    """The desk."""
    return Desk(convex)


def test_members_are_logged(desk: Desk) -> None:
    """Who is set up, added, given a role or taken out, without their tokens."""
    log = merge_entries(desk.convex.table("audit"))
    assert sorted((entry[0], entry[1], entry[3]) for entry in log) == sorted(
        [
            ("dashboard", "created", desk.admin_id),
            (desk.as_admin, "created", desk.agent_id),
        ]
    )
    assert "users.test" not in repr(desk.convex.table("audit"))
    role = {"member": desk.agent_id, "role": "admin"}
    desk.check(desk.as_admin, lambda: desk.admin.mutation("members/manage:setRole", role))
    desk.check(desk.as_admin, lambda: desk.admin.mutation("members/manage:setRole", role))
    ida, eve = desk.add_customer(), desk.add_customer("Eve")
    tickets = [desk.open_ticket(ida), desk.open_ticket(eve), desk.open_ticket(eve)]
    for ticket in tickets[:2]:
        args = {"ticket": ticket, "member": desk.agent_id}
        desk.check(
            desk.as_agent, lambda args=args: desk.agent.mutation("tickets/manage:assign", args)
        )
    gone = {"member": desk.agent_id}
    desk.check(desk.as_admin, lambda: desk.admin.mutation("members/manage:remove", gone))
    assert len(desk.convex.table("members")) == 1


def test_customers_are_logged(desk: Desk) -> None:
    """Customers who are added, changed or imported; what changes nothing, or is refused, is not."""
    customer = desk.add_customer()
    desk.check(desk.as_agent, lambda: desk.add_customer("Eve"))
    for changed in (
        {"name": "Ida Berg"},
        {"name": "Ida Berg"},
        {"phone": ""},
        {"phone": ""},
        {"name": "Ida", "phone": "555-0199"},
        {},
    ):
        args = {"customer": customer, **changed}
        desk.check(
            desk.as_agent, lambda args=args: desk.agent.mutation("customers/manage:update", args)
        )
    lines = [("Cy", "cy@post.test"), ("Ida", "IDA@post.test"), ("No", "no"), ("Di", "di@post.test")]
    people = {"customers": [{"name": name, "email": email} for name, email in lines]}
    results: list[Any] = []

    def run_import() -> None:
        results.append(desk.agent.mutation("customers/importing:run", people))

    desk.check(desk.as_agent, run_import)
    codes = {line["email"]: line["code"] for line in results[0]["refused"]}
    assert codes == {"IDA@post.test": "already_customer", "no": "bad_email"}
    assert results[0]["entered"] == 2
    assert len(desk.convex.table("customers")) == 4


def test_tickets_are_logged(desk: Desk) -> None:
    """Every act on tickets, by each of its documents."""
    customer = desk.add_customer()
    tickets = [desk.open_ticket(customer, f"text {n}") for n in range(4)]
    desk.check(desk.as_agent, lambda: desk.open_ticket(customer, "more"))
    acts: list[tuple[str, dict[str, Any]]] = [
        ("tickets/manage:assign", {"ticket": tickets[0], "member": desk.admin_id}),
        ("tickets/manage:assign", {"ticket": tickets[0], "member": desk.admin_id}),
        ("tickets/manage:assign", {"ticket": tickets[0], "member": None}),
        ("tickets/manage:setPriority", {"tickets": tickets[:2], "priority": "high"}),
        ("tickets/manage:setPriority", {"tickets": tickets[:3], "priority": "high"}),
        ("tickets/merge:merge", {"tickets": tickets[:3]}),
        ("tickets/manage:close", {"ticket": tickets[0]}),
    ]
    for name, args in acts:
        desk.check(desk.as_agent, lambda name=name, args=args: desk.agent.mutation(name, args))
    assert len(desk.convex.table("tickets")) == 3


def test_a_snoozed_ticket_is_logged(desk: Desk) -> None:
    """Who puts a ticket aside is the one who wakes it."""
    ticket = desk.open_ticket(desk.add_customer())
    at = 1000 * (desk.convex.clock.now() + 600)
    args = {"ticket": ticket, "at": at}
    desk.check(desk.as_agent, lambda: desk.agent.mutation("tickets/snooze:until", args))
    desk.check(desk.as_agent, lambda: desk.convex.clock.advance(900))
    assert desk.convex.table("tickets")[0]["state"] == "open"


def test_programs_are_logged(desk: Desk) -> None:
    """What comes over HTTP has the name of the program, and never a secret."""
    connect = {"name": "shop", "url": HEALTH}
    secret: list[str] = []

    def connect_shop() -> None:
        secret.append(str(desk.admin.mutation("integrations/manage:connect", connect)))

    desk.check(desk.as_admin, connect_shop)
    customer = "eve@post.test"
    desk.check("key:shop", lambda: desk.send(secret[0], customer, "It is broken."))
    other = desk.open_ticket(desk.add_customer(), "Mine works.")
    desk.check("key:shop", lambda: desk.send(secret[0], customer, "Still is."))
    texts = {ticket["_id"]: ticket["text"] for ticket in desk.convex.table("tickets")}
    assert texts.pop(other) == "Mine works."
    assert list(texts.values()) == ["It is broken.\n\nStill is."]
    desk.check("key:shop", lambda: desk.send("sk_wrong", customer, "And I am nobody."))
    desk.check("key:shop", lambda: desk.send(secret[0], "no address", "Nobody, too."))
    assert (len(desk.convex.table("customers")), len(desk.convex.table("tickets"))) == (2, 2)
    desk.check(desk.as_admin, connect_shop)
    assert [row["isHealthy"] for row in desk.convex.table("integrations")] == [True]
    desk.check(
        desk.as_admin,
        lambda: desk.admin.mutation("integrations/manage:disconnect", {"name": "shop"}),
    )
    assert secret[0] != secret[1]
    assert [each for each in secret if each in repr(desk.convex.table("audit"))] == []


def test_refused_calls_are_not_logged(desk: Desk) -> None:
    """Calls that are refused leave nothing in the log."""
    customer = desk.add_customer()
    ticket, other = desk.open_ticket(customer), desk.open_ticket(desk.add_customer("Eve"))
    merge = {"tickets": [ticket, desk.open_ticket(customer), other]}
    for caller, name, args in (
        (desk.convex, "customers/manage:add", {"name": "No", "email": "no@post.test"}),
        (desk.agent, "customers/manage:add", {"name": "No", "email": "ida@post.test"}),
        (desk.agent, "members/manage:setRole", {"member": desk.agent_id, "role": "admin"}),
        (desk.agent, "tickets/merge:merge", merge),
        (desk.admin, "members/manage:remove", {"member": desk.admin_id}),
    ):

        def refuse(caller: Convex = caller, name: str = name, args: Any = args) -> None:  # noqa: ANN401
            with pytest.raises(FunctionFailed):
                caller.mutation(name, args)

        desk.check("nobody", refuse)


def find_night(convex: Convex) -> float:
    """Return the next but one moment at which the nightly jobs begin."""
    return (convex.clock.now() // DAY + 2) * DAY + 3 * HOUR


def test_jobs_are_logged(desk: Desk) -> None:
    """Changes by jobs are logged as theirs, and no change twice."""
    night = find_night(desk.convex)
    connect = {"name": "shop", "url": HEALTH}
    desk.admin.mutation("integrations/manage:connect", connect)
    assert [row["isHealthy"] for row in desk.convex.table("integrations")] == [True]
    customer = desk.add_customer()
    desk.open_ticket(customer)
    desk.convex.clock.advance_to(night + HOUR)
    open_ticket = desk.open_ticket(customer)
    desk.check("job:close", lambda: desk.convex.clock.advance_to(night + 13 * DAY + HOUR))
    states = [ticket["state"] for ticket in desk.convex.table("tickets")]
    assert states == ["closed", "open"]
    assert [row["isHealthy"] for row in desk.convex.table("integrations")] == [True]
    desk.agent.mutation("tickets/manage:setPriority", {"tickets": [open_ticket], "priority": "low"})
    desk.check("job:close", lambda: desk.convex.clock.advance_to(night + 20 * DAY))
    assert [ticket["state"] for ticket in desk.convex.table("tickets")] == ["closed", "closed"]
    desk.check("job:forget", lambda: desk.convex.clock.advance_to(night + 79 * DAY))
    assert desk.convex.table("tickets") == []
    desk.convex.stub_fetch(HEALTH, method="GET", status=500)
    desk.check("job:check", lambda: desk.convex.clock.advance(DAY))
    desk.check("job:check", lambda: desk.convex.clock.advance(DAY))
    assert [row["isHealthy"] for row in desk.convex.table("integrations")] == [False]


def test_jobs_keep_their_limits(desk: Desk) -> None:
    """No transaction of a job writes more documents than a batch, the log included."""
    night = find_night(desk.convex)
    desk.convex.clock.advance_to(night + HOUR)
    customer = desk.add_customer()
    count = BATCH + 5
    tickets = [desk.open_ticket(customer, f"text {n}") for n in range(count)]
    desk.convex.limit(documents_written=BATCH)
    desk.convex.clock.advance_to(night + 15 * DAY - HOUR)
    assert {ticket["state"] for ticket in desk.convex.table("tickets")} == {"open"}
    desk.convex.clock.advance_to(night + 15 * DAY + HOUR)
    assert {ticket["state"] for ticket in desk.convex.table("tickets")} == {"closed"}
    desk.convex.clock.advance_to(night + 75 * DAY - HOUR)
    assert len(desk.convex.table("tickets")) == count
    # The sixty days end in the minutes of a night's jobs: it may be the next night's.
    desk.convex.clock.advance_to(night + 76 * DAY + HOUR)
    assert desk.convex.table("tickets") == []
    entries = [entry for entry in desk.convex.table("audit") if entry["document"] in tickets]
    assert len(merge_entries(entries)) == 3 * count


def test_the_log_is_kept_for_90_days(desk: Desk) -> None:
    """Each night entries of more than 90 days are deleted, in batches, and no others."""
    convex = desk.convex
    night = find_night(convex)
    convex.clock.advance_to(night + HOUR)
    for n in range(2 * BATCH + 5):
        desk.add_customer(f"Ida{n}")
    convex.clock.advance_to(night + 2 * HOUR)
    count = len(convex.table("audit"))
    convex.limit(documents_written=BATCH)
    convex.clock.advance_to(night + 90 * DAY + 600)
    assert len(convex.table("audit")) == count - 2
    customer = desk.add_customer("Eve")
    convex.clock.advance_to(night + 91 * DAY + 600)
    assert {entry["document"] for entry in convex.table("audit")} == {customer}


def test_admins_read_the_log(desk: Desk) -> None:
    """Admins read what happened to a document, the newest first, page by page."""
    customer, other = desk.add_customer(), desk.add_customer("Eve")
    for name in ("A", "B", "C"):
        desk.agent.mutation("customers/manage:update", {"customer": customer, "name": name})
        desk.agent.mutation("customers/manage:update", {"customer": other, "name": name})
    names: list[object] = []
    options: dict[str, Any] = {"numItems": 3, "cursor": None}
    while True:
        args = {"document": customer, "paginationOpts": options}
        page = desk.admin.query("audit/read:list", args)
        for entry in page["page"]:
            assert (entry["table"], entry["document"]) == ("customers", customer)
            assert entry["actor"] == desk.as_agent
            assert entry["kind"] == ("changed" if len(names) < 3 else "created")
            names += [each["to"] for each in entry["changes"] if each["field"] == "name"]
        if page["isDone"]:
            break
        options["cursor"] = page["continueCursor"]
    assert names == ["C", "B", "A", "Ida"]
    options["cursor"] = None
    for caller in (desk.agent, desk.convex):
        with pytest.raises(FunctionFailed):
            caller.query("audit/read:list", {"document": customer, "paginationOpts": options})


def test_the_erased_are_not_in_the_log(desk: Desk) -> None:
    """No entry has their names or texts, also of tickets that are gone."""
    customer = desk.add_customer("Ida")
    other = desk.add_customer("Eve")
    texts = ["alpha", "beta", "gamma"]
    tickets = [desk.open_ticket(customer, text) for text in texts]
    desk.open_ticket(other, "delta")
    desk.agent.mutation("customers/manage:update", {"customer": customer, "name": "Ida Berg"})
    desk.agent.mutation("tickets/merge:merge", {"tickets": tickets[:2]})
    desk.agent.mutation("tickets/manage:assign", {"ticket": tickets[2], "member": desk.agent_id})
    desk.admin.mutation("customers/erase:run", {"customer": customer})
    desk.convex.clock.advance(HOUR)
    entries = desk.convex.table("audit")
    text = repr(entries)
    assert [word for word in ("Ida", "ida@post", "Berg", "555-Eve") if word in text] == ["555-Eve"]
    assert [word for word in (*texts, "delta") if word in text] == ["delta"]
    erased = [
        entry for entry in entries if entry["document"] == customer and entry["kind"] == "changed"
    ]
    assert any("erasedAt" in {each["field"] for each in entry["changes"]} for entry in erased)
    assert desk.as_admin in {entry["actor"] for entry in erased}
    assert "erased" in repr(desk.convex.document("customers", customer))


def test_what_was_scheduled_before_runs(desk: Desk) -> None:
    """A ticket that was put aside before there was a log is woken."""
    desk.convex.deploy("given")
    ticket = desk.open_ticket(desk.add_customer())
    at = 1000 * (desk.convex.clock.now() + 600)
    desk.agent.mutation("tickets/snooze:until", {"ticket": ticket, "at": at})
    desk.convex.deploy("answer")
    entries_before = len(desk.convex.table("audit"))
    desk.convex.clock.advance(900)
    assert desk.convex.table("tickets")[0]["state"] == "open"
    (entry,) = desk.convex.table("audit")[entries_before:]
    assert (entry["kind"], entry["table"], entry["document"]) == ("changed", "tickets", ticket)
