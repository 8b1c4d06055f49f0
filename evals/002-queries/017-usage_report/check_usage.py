# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Customers, their meters and events as the given app counts them, and calls that change them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from runner.grader import Convex

Row = dict[str, Any]
MINUTE = 60
QUARTER = 15 * MINUTE
HOUR = 60 * MINUTE
DAY = 24 * HOUR
KEPT_FOR = 400 * DAY
LATEST = 40 * DAY
MAX_PER_MINUTE = 50
MOST_CONVERTED = 2000
"""The documents that a call of the migration may read."""
MOST_CALLS = 2000
"""More calls than there are documents to convert in any test."""


@dataclass
class Event:
    """An event of a meter; the moment is in seconds, and in steps of a millisecond."""

    key: str
    at: float
    amount: int
    retracted: bool = False


@dataclass
class Meter:
    """A meter of a customer."""

    name: str
    kind: str = "sum"
    events: list[Event] = field(default_factory=list[Event])


@dataclass
class Customer:
    """A customer, whose meters are in the order in which they were added."""

    user: str
    zone: str
    meters: list[Meter] = field(default_factory=list[Meter])
    id: str = ""

    def find(self, name: str) -> Meter:
        """Return the meter of this name."""
        return next(meter for meter in self.meters if meter.name == name)


class Usage:
    """The answer, and what its reports must be. Moments are in seconds."""

    def __init__(self, convex: Convex) -> None:
        """Begin with four zones, whose laws change in these weeks."""
        convex.clear()
        self.convex = convex
        self.staff = convex.as_user("sam", role="staff")
        self.today = self.now() // DAY * DAY
        self.customers: dict[str, Customer] = {}
        self.is_converted = False
        changes = {
            "utc": [(0, 0)],
            # Summer begins twenty days ago and ends ten days ago, at one o'clock UTC.
            "town": [
                (0, 60),
                (self.today - 20 * DAY + HOUR, 120),
                (self.today - 10 * DAY + HOUR, 60),
            ],
            # Half an hour forth and back, far in the east.
            "isle": [
                (0, 630),
                (self.today - 15 * DAY - 8.5 * HOUR, 660),
                (self.today - 3 * DAY - 9 * HOUR, 630),
            ],
            # The day of the change begins at one o'clock, because there is no midnight.
            "gap": [(0, -225), (self.today - 12 * DAY + 3.75 * HOUR, -165)],
        }
        self.zones = {
            name: [(since, offset * MINUTE) for since, offset in rows]
            for name, rows in changes.items()
        }
        convex.insert_many(
            "zones",
            [
                {"name": name, "since": since * 1000, "offset": offset}
                for name, rows in changes.items()
                for since, offset in rows
            ],
        )

    def now(self) -> float:
        """Return the present moment."""
        return self.convex.clock.now()

    # --- Stored data -------------------------------------------------------------------------

    def store(self, *customers: Customer) -> None:
        """Store customers with their meters and events in the form of the given app."""
        for customer in customers:
            row = {"token": f"https://users.test|{customer.user}", "zone": customer.zone}
            customer.id = self.convex.insert("customers", row)
            self.customers[customer.user] = customer
            meters = self.convex.insert_many(
                "meters",
                [
                    {"customer": customer.id, "name": meter.name, "kind": meter.kind}
                    for meter in customer.meters
                ],
            )
            for id_, meter in zip(meters, customer.meters, strict=True):
                rows = [
                    {
                        "meter": id_,
                        "key": event.key,
                        "at": round(event.at * 1000),
                        "amount": event.amount,
                        "retracted": event.retracted,
                    }
                    for event in meter.events
                ]
                self.convex.insert_many("events", rows)

    def convert(self) -> bool:
        """Call the migration once, and return whether nothing is left."""
        call = self.convex.admin.footprint("migrate:next", {})
        read = call.documents_read
        assert read <= MOST_CONVERTED, f"a call of the migration read {read} documents"
        assert isinstance(call.value, bool)
        self.is_converted = call.value
        return call.value

    def migrate(self) -> None:
        """Call the migration until nothing is left."""
        assert any(self.convert() for _ in range(MOST_CALLS)), "the migration does not end"

    # --- Calls -------------------------------------------------------------------------------

    def call(self, user: str, path: str, args: Row) -> object:
        """Call a mutation as a customer."""
        return self.convex.as_user(user).mutation(path, args)

    def register(self, user: str, zone: str) -> None:
        """Register a customer."""
        id_ = self.call(user, "customers:register", {"zone": zone})
        self.customers[user] = Customer(user, zone, id=str(id_))

    def add_meter(self, user: str, name: str, kind: str) -> None:
        """Add a meter."""
        self.call(user, "meters:add", {"name": name, "kind": kind})
        self.customers[user].meters.append(Meter(name, kind))

    def record(self, user: str, name: str, events: Sequence[Event], doubles: int = 0) -> None:
        """Record events of a meter, of which so many are there already."""
        rows = [
            {"meter": name, "key": event.key, "at": round(event.at * 1000), "amount": event.amount}
            for event in events
        ]
        assert self.call(user, "events:record", {"events": rows}) == len(rows) - doubles
        meter = self.customers[user].find(name)
        for event in events:
            if all(event.key != other.key for other in meter.events):
                meter.events.append(event)

    def correct(
        self,
        user: str,
        name: str,
        event: Event,
        *,
        at: float | None = None,
        amount: int | None = None,
    ) -> None:
        """Correct the moment or the amount of an event."""
        args: Row = {"meter": name, "key": event.key}
        if at is not None:
            args["at"] = round(at * 1000)
            event.at = at
        if amount is not None:
            args["amount"] = amount
            event.amount = amount
        self.call(user, "events:correct", args)

    def retract(self, user: str, name: str, event: Event) -> None:
        """Retract an event."""
        self.call(user, "events:retract", {"meter": name, "key": event.key})
        event.retracted = True

    def retract_range(self, user: str, name: str, start: float, end: float) -> None:
        """Retract all events of a meter in a time."""
        customer = self.customers[user]
        events = [each for each in customer.find(name).events if start <= each.at < end]
        args = {
            "customer": customer.id,
            "meter": name,
            "from": round(start * 1000),
            "to": round(end * 1000),
        }
        assert self.staff.mutation("support:retractRange", args) == len(events)
        for event in events:
            event.retracted = True

    def join(self, user: str, name: str, into: str) -> None:
        """Give the events of a meter to another."""
        customer = self.customers[user]
        args = {"customer": customer.id, "meter": name, "into": into}
        self.staff.mutation("support:joinMeters", args)
        source, target = customer.find(name), customer.find(into)
        keys = {event.key for event in target.events}
        target.events += [event for event in source.events if event.key not in keys]
        customer.meters.remove(source)

    def set_kind(self, user: str, name: str, kind: str) -> None:
        """Change what the days of a meter show."""
        self.call(user, "meters:setKind", {"name": name, "kind": kind})
        self.customers[user].find(name).kind = kind

    def rename(self, user: str, name: str, to: str) -> None:
        """Rename a meter."""
        self.call(user, "meters:rename", {"name": name, "to": to})
        self.customers[user].find(name).name = to

    def set_zone(self, user: str, zone: str) -> None:
        """Move a customer to another zone."""
        self.call(user, "customers:setZone", {"zone": zone})
        self.customers[user].zone = zone

    def put_zone(self, name: str, since: float, offset: int) -> None:
        """Change the law of a zone; the offset is in minutes."""
        args = {"name": name, "since": round(since * 1000), "offset": offset}
        self.staff.mutation("zones:put", args)
        rows = {**dict(self.zones[name]), since: offset * MINUTE}
        self.zones[name] = sorted(rows.items())

    def drop_old(self) -> None:
        """Run the nightly job that drops old events."""
        self.convex.admin.mutation("cleanup:dropOldEvents", {})
        self.convex.settle()
        end = self.now() - KEPT_FOR
        for customer in self.customers.values():
            for meter in customer.meters:
                meter.events = [event for event in meter.events if event.at >= end]

    # --- Results -----------------------------------------------------------------------------

    def day_of(self, zone: str, at: float) -> str:
        """Return the day of a moment in a zone."""
        offset = max(row for row in self.zones[zone] if row[0] <= at)[1]
        return datetime.fromtimestamp(at + offset, UTC).date().isoformat()

    def expect(self, user: str, start: float, end: float) -> list[Row]:
        """Return the report that a range must have."""
        customer = self.customers[user]
        names = {self.day_of(customer.zone, at) for at in self._list_moments(start, end)}
        reports: list[Row] = []
        for meter in sorted(customer.meters, key=lambda meter: meter.name):
            amounts: dict[str, list[int]] = {name: [] for name in sorted(names)}
            for event in meter.events:
                if start <= event.at < end and not event.retracted:
                    amounts[self.day_of(customer.zone, event.at)].append(event.amount)
            days = [
                {"day": day, "events": len(values), "total": total_of(meter.kind, values)}
                for day, values in amounts.items()
            ]
            reports.append({"meter": meter.name, "kind": meter.kind, "days": days})
        return reports

    @staticmethod
    def _list_moments(start: float, end: float) -> Iterable[float]:
        yield end - 0.001
        while start < end:
            yield start
            start += QUARTER

    def check(self, user: str, start: float, end: float, *, is_staff: bool = False) -> None:
        """Demand the report of a range of whole minutes, within the budget if it holds."""
        args: Row = {"from": round(start * 1000), "to": round(end * 1000)}
        caller, path = self.convex.as_user(user), "reports:daily"
        customer = self.customers[user]
        if is_staff:
            caller, path = self.staff, "reports:ofCustomer"
            args["customer"] = customer.id
        call = caller.footprint(path, args, kind="query")
        assert call.value == self.expect(user, start, end), path
        meters = len(customer.meters)
        most = 100 + meters * (10 + 2 * (end - start) / DAY)
        if self.is_converted:
            read = call.documents_read
            assert read <= most, f"a report read {read} documents"

    def check_all(self, *users: str) -> None:
        """Demand reports of long and of short ranges."""
        now = self.now() // MINUTE * MINUTE
        for user in users:
            self.check(user, self.today - 41 * DAY, self.today + DAY, is_staff=True)
            self.check(user, self.today - 21 * DAY + 7 * MINUTE, now - 6 * MINUTE)


def total_of(kind: str, values: Sequence[int]) -> float | None:
    """Return what a day shows."""
    if kind == "sum":
        return sum(values)
    return max(values, default=None)


def refuse(convex: Convex, path: str, args: Mapping[str, object]) -> None:
    """Demand that a mutation is refused."""
    with pytest.raises(FunctionFailed):
        convex.mutation(path, dict(args))
