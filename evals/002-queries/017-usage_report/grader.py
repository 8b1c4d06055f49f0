# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Totals of usage by the customer's days, which read little and are right at each moment."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from check_usage import (
    DAY,
    HOUR,
    KEPT_FOR,
    LATEST,
    MAX_PER_MINUTE,
    MINUTE,
    QUARTER,
    Customer,
    Event,
    Meter,
    Usage,
    refuse,
)

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

ZONES = ("utc", "town", "isle", "gap")


def make_events(rng: random.Random, usage: Usage, count: int, days: float) -> list[Event]:
    """Make events of the last days, many of them near the beginning or the end of a quarter."""
    events: list[Event] = []
    for number in range(count):
        at = usage.today - rng.random() * days * DAY
        if number % 3 == 0:
            at = at // QUARTER * QUARTER + rng.choice((0, -0.001, 0.001, 59.999, MINUTE))
        events.append(Event(f"e{number}", round(at, 3), rng.randrange(1, 100)))
    return events


def make_customer(usage: Usage, user: str, count: int, days: float = 39) -> Customer:
    """Make a customer with a meter of each kind."""
    rng = random.Random(f"{user} {count}")  # noqa: S311 - a test needs no secrets
    kinds = {"air": "sum", "load": "peak"}
    meters = [
        Meter(name, kind, make_events(rng, usage, count, days)) for name, kind in kinds.items()
    ]
    return Customer(user, "town", meters)


def test_ranges_read_little(convex: Convex) -> None:
    """Reports of any range are right in each zone, and read as few documents as demanded."""
    usage = Usage(convex)
    customer = make_customer(usage, "ana", 420)
    burst = usage.today - 5 * DAY + 10 * HOUR + 5 * MINUTE
    for minute in range(12):
        customer.meters[0].events += [
            Event(f"b{minute}-{number}", burst + minute * MINUTE + number, 5)
            for number in range(MAX_PER_MINUTE - 2)
        ]
    usage.store(customer, make_customer(usage, "bo", 20))
    usage.migrate()
    assert usage.convert()
    today = usage.today
    for zone in ZONES:
        usage.set_zone("ana", zone)
        usage.check("ana", today - 39 * DAY, today + 2 * DAY)
        usage.check("ana", today - 20 * DAY - 11 * MINUTE, today - 9 * DAY + 4 * MINUTE)
        usage.check("ana", today - 12 * DAY + 3 * HOUR, today - 12 * DAY + 4 * HOUR, is_staff=True)
    usage.set_zone("ana", "town")
    for start, end in ((3, 4), (0, 7), (5, 12), (-8, 30), (-200, 200)):
        usage.check("ana", burst + start * MINUTE, burst + end * MINUTE)
    usage.set_kind("ana", "air", "peak")
    usage.set_kind("ana", "load", "sum")
    usage.put_zone("town", today - 7 * DAY + HOUR / 4, 75)
    usage.put_zone("town", today - 10 * DAY + HOUR, 120)
    usage.check("ana", today - 39 * DAY, today + 2 * DAY)
    usage.check("bo", today - 30 * DAY, today, is_staff=True)


def make_changes(usage: Usage, turn: int) -> None:
    """Record, correct and retract events of both customers, early and late ones."""
    now, rng = usage.now(), random.Random(turn)  # noqa: S311 - a test needs no secrets
    for user in ("ana", "bo"):
        for name in ("air", "load"):
            events = list(usage.customers[user].find(name).events)
            live = [event for event in events if not event.retracted and event.at > now - LATEST]
            top = max(live, key=lambda event: event.amount)
            usage.correct(user, name, top, amount=turn)
            usage.correct(user, name, rng.choice(live), at=round(now - 3 * DAY - turn * HOUR, 3))
            usage.correct(user, name, live[turn], at=live[-1 - turn].at, amount=140 + turn)
            usage.retract(user, name, live[turn + 4])
            ages = (0, 39.9 * DAY, rng.random() * 39 * DAY)
            late = [Event(f"t{turn}-{age}", round(now - age, 3), 60 + turn) for age in ages]
            late[0].at -= 1
            late[1].at += HOUR / 2
            usage.record(user, name, [*late, events[turn]], doubles=1)
    start = usage.today - (2 + 5 * turn) * DAY
    usage.retract_range("bo", "load", start, start + DAY)


def test_changes_between_the_calls(convex: Convex) -> None:
    """Events that come, change or go while the migration runs count once."""
    usage = Usage(convex)
    usage.store(make_customer(usage, "ana", 700), make_customer(usage, "bo", 60))
    usage.check_all("ana", "bo")
    edge = usage.customers["ana"].meters[0].events[3].at // MINUTE * MINUTE + MINUTE
    usage.record("ana", "air", [Event("edge", edge, 7)])
    for start, end in ((edge - DAY, edge), (edge, edge + DAY)):
        usage.check("ana", start, end)
    for turn in range(4):
        make_changes(usage, turn)
        if turn == 1:
            usage.set_zone("ana", "isle")
            usage.add_meter("bo", "new", "peak")
            usage.record("bo", "new", [Event("n", usage.now() - HOUR, 3)])
            usage.join("bo", "load", "new")
            usage.rename("bo", "new", "load")
        usage.check_all("ana", "bo")
        done = usage.convert()
        assert not done or turn > 0
        usage.check_all("ana", "bo")
    usage.migrate()
    make_changes(usage, 5)
    usage.check_all("ana", "bo")


def test_old_events_go(convex: Convex) -> None:
    """What the nightly job drops is in no report any more, even in a part of a day or a minute."""
    usage = Usage(convex)
    end = usage.now() - KEPT_FOR
    ages = (5 * DAY, DAY, HOUR, 61, 2, -20 * MINUTE, -2 * HOUR, -2 * DAY)
    events = [Event(f"o{age}-{n}", round(end - age, 3), 9 - n) for age in ages for n in range(4)]
    edge = end // MINUTE * MINUTE
    many = [Event(f"m{number}", round(end - 9 * DAY + 31 * number, 3), 2) for number in range(230)]
    usage.store(
        Customer(
            "ana", "isle", [Meter("air", "sum", [*events, *many]), Meter("load", "peak", events)]
        )
    )
    usage.migrate()
    ranges = (
        (edge - 8 * DAY, edge + 8 * DAY),
        (edge - DAY, edge - 30 * MINUTE),
        (edge, edge + DAY),
    )
    for start, stop in ranges:
        usage.check("ana", start, stop)
    convex.clock.advance(20 * MINUTE + 70)
    usage.drop_old()
    for start, stop in (*ranges, (edge - 10 * DAY, edge - DAY)):
        usage.check("ana", start, stop)


def test_removed_customers_leave_nothing(convex: Convex) -> None:
    """A removed customer can come back with all reports; later nothing is left of it."""
    usage = Usage(convex)
    usage.store(make_customer(usage, "ana", 130), make_customer(usage, "bo", 40))
    usage.migrate()
    day = {"from": (usage.today - DAY) * 1000, "to": usage.today * 1000}
    ana = usage.customers["ana"]
    usage.add_meter("ana", "extra", "sum")
    ages = {"x": DAY, "y": 3 * DAY, "z": 5 * DAY, "e3": 9 * DAY}
    extra = [Event(key, round(usage.now() - age, 3), 4) for key, age in ages.items()]
    usage.record("ana", "extra", extra)
    meters = [str(row["_id"]) for row in convex.table("meters") if row["customer"] == ana.id]
    usage.join("ana", "extra", "air")
    usage.call("ana", "customers:remove", {})
    with pytest.raises(FunctionFailed):
        convex.as_user("ana").query("reports:daily", day)
    refuse(convex.as_user("ana"), "events:retract", {"meter": "air", "key": "e1"})
    usage.retract_range("ana", "air", usage.today - 3 * DAY, usage.today - 2 * DAY)
    usage.check("ana", usage.today - 20 * DAY, usage.today, is_staff=True)
    usage.staff.mutation("customers:restore", {"customer": ana.id})
    usage.check_all("ana")
    usage.call("ana", "customers:remove", {})
    usage.convex.clock.advance(32 * DAY)
    convex.settle()
    refuse(usage.staff, "customers:restore", {"customer": ana.id})
    for name in convex.schema.tables:
        rows = [str(row) for row in convex.table(name)]
        remnants = [row for row in rows if any(id_ in row for id_ in (ana.id, *meters))]
        # A migration may remember the meter at which it ended.
        assert len(remnants) <= 1, f"something is left in {name}"
    usage.check("bo", usage.today - 39 * DAY, usage.today, is_staff=True)


def test_random_histories(convex: Convex) -> None:
    """Whatever customers and staff do, in any order, all reports are right."""
    rng = random.Random(17)  # noqa: S311 - a test needs no secrets
    usage = Usage(convex)
    usage.store(make_customer(usage, "ana", 50), make_customer(usage, "bo", 30))
    for step in range(90):
        take_step(usage, rng, step)
        if step == 20:
            usage.migrate()
        if step % 5 == 4:
            start = usage.today - rng.randrange(60 * 24 * 40) * MINUTE
            usage.check(rng.choice(("ana", "bo")), start, start + rng.randrange(1, 9000) * MINUTE)
        if step % 15 == 14:
            convex.clock.advance(rng.randrange(1, 9) * HOUR)
            usage.check_all("ana", "bo")


def take_step(usage: Usage, rng: random.Random, step: int) -> None:
    """Make one random call."""
    now, user = usage.now(), rng.choice(("ana", "bo"))
    customer = usage.customers[user]
    meter = rng.choice(customer.meters)
    live = [each for each in meter.events if not each.retracted and each.at > now - LATEST]
    at = round(now - rng.random() * 39 * DAY, 3)
    match rng.randrange(11):
        case 0 | 1 | 2:
            ages = (at, at // MINUTE * MINUTE, at, rng.choice(live).at if live else at)
            events = [
                Event(f"s{step}-{n}", age, rng.randrange(0, 200)) for n, age in enumerate(ages)
            ]
            usage.record(user, meter.name, events)
        case 3 | 4 if live:
            usage.correct(user, meter.name, rng.choice(live), amount=rng.randrange(0, 200))
        case 5 if live:
            usage.correct(user, meter.name, rng.choice(live), at=at)
        case 6 if live:
            usage.retract(user, meter.name, max(live, key=lambda event: event.amount))
        case 7:
            usage.set_zone(user, rng.choice(ZONES))
        case 8:
            usage.set_kind(user, meter.name, rng.choice(("sum", "peak")))
        case 9 if len(customer.meters) > 1 and len(meter.events) < 90:
            other = next(each for each in customer.meters if each is not meter)
            usage.join(user, meter.name, other.name)
        case 10:
            since = (now - rng.random() * 30 * DAY) // QUARTER * QUARTER
            usage.put_zone("town", since, rng.choice((45, 60, 120)))
        case _ if len(customer.meters) < 5:
            usage.add_meter(user, f"m{step}", rng.choice(("sum", "peak")))
        case _:
            usage.rename(user, meter.name, f"r{step}")


def test_refusals_are_as_before(convex: Convex) -> None:
    """The same calls are refused as before, and change nothing; all functions are still there."""
    usage = Usage(convex)
    usage.store(make_customer(usage, "ana", 30))
    usage.migrate()
    now = usage.now()
    minute = (now - HOUR) // MINUTE * MINUTE
    full = [Event(f"f{number}", minute + number, 1) for number in range(MAX_PER_MINUTE)]
    usage.record("ana", "air", full)
    usage.retract("ana", "air", full[0])
    ana, event = convex.as_user("ana"), usage.customers["ana"].find("air").events[0]

    def row(**fields: object) -> dict[str, object]:
        base = {"meter": "air", "key": "new", "at": round(now * 1000), "amount": 1}
        return {"events": [{**base, "key": "good"}, {**base, **fields}]}

    for fields in (
        {"at": (now + HOUR) * 1000},
        {"at": (now - LATEST - HOUR) * 1000},
        {"at": (minute + 59) * 1000},
        {"amount": -1},
        {"amount": 1.5},
        {"meter": "water"},
    ):
        refuse(ana, "events:record", row(**fields))
    many = [{"meter": "air", "key": f"x{n}", "at": now * 1000, "amount": 1} for n in range(51)]
    refuse(ana, "events:record", {"events": many})
    name = {"meter": "air", "key": event.key}
    for changes in ({"amount": -1}, {"at": (now + HOUR) * 1000}, {"at": minute * 1000}):
        refuse(ana, "events:correct", {**name, **changes})
    refuse(ana, "events:correct", {"meter": "air", "key": "f0", "amount": 1})
    refuse(ana, "events:correct", {"meter": "air", "key": "none", "amount": 1})
    refuse(ana, "events:retract", {"meter": "load", "key": "f1"})
    staff_args = {"customer": usage.customers["ana"].id, "meter": "air"}
    refuse(ana, "support:retractRange", {**staff_args, "from": 0, "to": 1e14})
    for name, count, back in (("wide", 101, 3 * HOUR), ("same", 1, 0)):
        usage.add_meter("ana", name, "peak")
        moments = [minute - back - HOUR * (n // 50) for n in range(count)]
        events = [Event(f"w{n}", at, 1) for n, at in enumerate(moments)]
        for first in range(0, count, 50):
            usage.record("ana", name, events[first : first + 50])
        refuse(usage.staff, "support:joinMeters", {**staff_args, "meter": name, "into": "air"})
    wide = {**staff_args, "meter": "wide", "from": 0, "to": 1e14}
    refuse(usage.staff, "support:retractRange", wide)
    refuse(usage.staff, "support:joinMeters", {**staff_args, "into": "air"})
    refuse(usage.staff, "support:joinMeters", {**staff_args, "into": "none"})
    refuse(ana, "zones:put", {"name": "town", "since": 0, "offset": 0})
    refuse(usage.staff, "zones:put", {"name": "town", "since": 0, "offset": 7})
    refuse(usage.staff, "customers:restore", {"customer": staff_args["customer"]})
    refuse(ana, "customers:setZone", {"zone": "moon"})
    refuse(ana, "meters:add", {"name": "load", "kind": "sum"})
    refuse(ana, "meters:rename", {"name": "air", "to": "load"})
    refuse(ana, "meters:setKind", {"name": "none", "kind": "sum"})
    whole = round(usage.today) * 1000
    for start, end in (
        (whole + 1, whole + 60_000),
        (whole, whole),
        (whole - 101 * 86_400_000, whole),
    ):
        with pytest.raises(FunctionFailed):
            ana.query("reports:daily", {"from": start, "to": end})
    with pytest.raises(FunctionFailed):
        ana.query("reports:ofCustomer", {**staff_args, "from": whole - 60_000, "to": whole})
    usage.check_all("ana")
    assert ana.query("customers:me") == {"zone": "town"}
    functions = {path: (each.kind, each.visibility) for path, each in convex.functions.items()}
    assert functions["migrate:next"] == ("mutation", "internal")
    for path in ("cleanup:dropOldEvents", "cleanup:purgeCustomers"):
        assert functions[path] == ("mutation", "internal")
        assert path in [cron.path for cron in convex.crons.values()]
