# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Bookings of rooms in the app, beside the old server that kept them in its memory."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from check_rooms import House, make_series

if TYPE_CHECKING:
    from runner.grader import Convex

RULES: list[tuple[str, dict[str, Any]]] = [
    ("2026-03-02T09:00", {}),
    ("2026-03-02T09:00", {"until": "2026-03-01"}),
    ("2026-03-02T09:00", {"every": "day"}),
    ("2026-02-27T09:00", {"every": "day", "interval": 3, "count": 12}),
    ("2026-02-27T09:00", {"every": "day", "interval": 0, "count": 0, "until": "2026-03-09"}),
    ("2026-02-26T09:00", {"every": "week"}),
    ("2026-02-26T09:00", {"every": "week", "weekdays": []}),
    ("2026-02-26T09:00", {"every": "week", "weekdays": [4, 0, 4, 2], "count": 9}),
    ("2026-02-25T09:00", {"every": "week", "weekdays": [0, 1], "interval": 2}),
    (
        "2026-03-01T09:00",
        {"every": "week", "weekdays": [6, 0], "interval": 3, "until": "2026-04-06"},
    ),
    ("2025-10-31T09:00", {"every": "month"}),
    ("2025-10-31T09:00", {"every": "month", "count": 4}),
    ("2025-12-30T09:00", {"every": "month", "interval": 2, "until": "2026-04-30"}),
    ("2025-12-05T09:00", {"every": "month", "nth": 1}),
    ("2025-12-29T09:00", {"every": "month", "nth": 5, "count": 3}),
    ("2025-12-10T09:00", {"every": "month", "nth": -1}),
    ("2025-12-26T09:00", {"every": "month", "nth": 2, "count": 3}),
    ("2026-01-06T09:00", {"every": "month", "nth": -5, "interval": 1}),
    ("2025-11-04T09:00", {"every": "month", "nth": -2, "interval": 4, "until": "2027-01-01"}),
    ("2024-02-29T09:00", {"every": "year"}),
    ("2023-03-12T09:00", {"every": "year", "interval": 3}),
    ("2022-03-20T09:00", {"every": "year", "nth": -1, "count": 6}),
    ("2020-02-24T09:00", {"every": "year", "nth": 5}),
    ("2020-03-30T09:00", {"every": "year", "nth": 5, "interval": 0}),
]
"""Starts and rules."""


def test_rules(convex: Convex) -> None:
    """Days, weeks, months and years recur as the server lets them recur."""
    house = House(convex, *(f"r{number}" for number in range(len(RULES))))
    house.store(*(make_series(f"r{n}", start, **rule) for n, (start, rule) in enumerate(RULES)))
    for number in range(len(RULES)):
        house.check(f"r{number}", "2026-02-20", 42)
        if number >= 10:
            house.check(f"r{number}", "2026-12-25", 8)
            house.check(f"r{number}", "2028-02-25", 8)
    house.check("r0", "2026-03-02", 0)


ZONES = [
    ("Europe/Berlin", "2026-03-29", "2026-10-25"),
    ("America/New_York", "2026-03-08", "2026-11-01"),
    ("America/Santiago", "2026-09-06", "2026-04-05"),
    ("Australia/Lord_Howe", "2026-10-04", "2026-04-05"),
    ("America/St_Johns", "2026-03-08", "2026-11-01"),
    ("Asia/Beirut", "2026-03-29", "2026-10-25"),
    ("Asia/Kathmandu", "2026-03-29", "2026-10-25"),
    ("UTC", "2026-03-29", "2026-10-25"),
]


@pytest.mark.parametrize("place", [1, 2], ids=["forward", "back"])
def test_clocks_that_change(convex: Convex, place: int) -> None:
    """Bookings keep the time of their clocks, also where an hour is left out or comes twice."""
    house = House(convex, *(zone[0] for zone in ZONES))
    many: list[Any] = []
    for zone in ZONES:
        day = date.fromisoformat(zone[place]) - timedelta(days=2)
        for number, (hour, minutes) in enumerate(
            [(0, 15), (0, 120), (1, 45), (1, 100), (2, 30), (2, 60), (3, 20), (22, 200), (23, 60)]
        ):
            for minute in (0, 30):
                start = f"{day}T{hour:02d}:{minute:02d}"
                title = f"{number} {minute}"
                rule = {"every": "day", "count": 4, "zone": zone[0], "title": title}
                many.append(make_series(zone[0], start, minutes, **rule))
    house.store(*many)
    for number, zone in enumerate(ZONES):
        first = (date.fromisoformat(zone[place]) - timedelta(days=2)).isoformat()
        house.check(zone[0], first, 5, zone[0])
        house.check(zone[0], first, 5, ZONES[number - 1][0])
    house.check("Europe/Berlin", "2026-03-26", 4, "Africa/Cairo")


def test_days_of_the_viewer(convex: Convex) -> None:
    """An agenda has the days of its zone, and on each of them what goes on, in order."""
    house = House(convex, "hall", "old")
    house.store(
        make_series("hall", "2026-09-03T12:00", 7 * 1440, title="Fair"),
        make_series("hall", "2026-09-04T23:00", 60, title="b"),
        make_series("hall", "2026-09-04T23:00", 60, title="B"),
        make_series("hall", "2026-09-04T23:00", 61, title="z"),
        make_series("hall", "2026-09-04T23:00", 60, title="\U0001f600"),
        make_series("hall", "2026-09-04T23:00", 60, title="\uff21"),
        make_series("hall", "2026-09-04T23:00", 60, title="a", every="week"),
        make_series("hall", "2026-09-04T23:00", 60, title="Ä"),
        make_series("hall", "2026-09-04T23:00", 60, title="_"),
        make_series("hall", "2026-09-05T00:00", 75, title="quarter"),
        make_series("hall", "2026-09-05T00:00", 15, title="x", zone="Asia/Kathmandu"),
    )
    for number, minutes in enumerate((15, 45, 75, 105, 3, 9, 21, 27, 33, 39, 51, 57)):
        day = date(2026, 5, 1) + timedelta(days=number)
        house.store(make_series("old", f"{day}T10:00", minutes, title=f"m{minutes}"))
    for zone in ("America/Santiago", "Europe/Berlin", "Pacific/Kiritimati", "Pacific/Pago_Pago"):
        house.check("hall", "2026-09-02", 11, zone)
    house.check("hall", "2026-09-07", 1, "Europe/Berlin")
    house.check("old", "2026-05-01", 14, "Asia/Kolkata")


def test_changed_days(convex: Convex) -> None:
    """Skipped and moved days are shown where they are, however far they were moved."""
    house = House(convex, "hall")
    changes = [
        ("2026-03-04", None, None),
        ("2026-03-11", None, 30),
        ("2026-03-18", "2026-03-17T08:00", None),
        ("2026-03-25", "2026-11-20T08:00", 90),
        ("2026-04-01", "2025-06-20T08:00", None),
        ("2026-04-08", "2026-04-08T18:00", 0),
        ("2026-04-09", "2026-03-05T05:00", None),
        ("2027-05-05", "2026-03-06T06:00", 1440),
        ("2027-06-02", "2026-03-07T07:00", None),
    ]
    rule = {"every": "week", "title": "weekly", "changes": changes}
    limited = [
        ("2026-02-04", "2026-03-10T23:30", None),
        ("2026-02-05", "2026-03-12T12:00", None),
        ("2026-02-06", "2026-03-14T12:00", None),
        ("2026-01-06", "2026-03-16T12:00", None),
    ]
    ended = {"every": "day", "title": "ended", "until": "2026-02-05", "changes": limited}
    single = [("2026-07-01", "2026-03-20T20:00", None)]
    house.store(
        make_series("hall", "2025-05-07T18:00", **rule),
        make_series("hall", "2026-02-01T23:45", **ended),
        make_series("hall", "2026-07-01T10:00", title="single", changes=single),
        make_series("hall", "2026-02-07T10:00", title="s", changes=[("2026-02-07", None, None)]),
        make_series("hall", "2026-02-08T10:00", title="t", changes=[("2026-02-09", None, None)]),
    )
    for first in (
        "2025-06-01",
        "2026-02-01",
        "2026-03-01",
        "2026-04-01",
        "2026-06-20",
        "2026-11-01",
    ):
        house.check("hall", first)
    house.check("hall", "2026-03-06", 2, "Asia/Tokyo")
    house.check("hall", "2027-06-01", 2)


NEW_YORK = {"every": "week", "zone": "America/New_York"}


def test_adding(convex: Convex) -> None:
    """A series is added if it has a day and room for 120 days, in its own clocks and in others."""
    house = House(convex, "hall", "attic", "yard")
    weekly = house.add(make_series("hall", "2026-03-02T18:00", every="week"))
    assert weekly not in {"taken", "empty", "overlap"}
    outcomes = [
        house.add(series)
        for series in (
            make_series("attic", "2026-03-02T18:00"),
            make_series("hall", "2026-03-02T17:00"),
            make_series("hall", "2026-03-09T18:59"),
            make_series("hall", "2026-03-09T19:00", 30),
            make_series("hall", "2026-03-05T18:00", every="day", count=4),
            make_series("hall", "2026-03-05T18:00", every="day", count=5),
            make_series(
                "hall", "2026-03-03T12:00", every="week", weekdays=[1], zone="America/New_York"
            ),
            make_series(
                "hall", "2026-03-04T13:00", every="week", weekdays=[0], zone="America/New_York"
            ),
            make_series("hall", "2026-01-05T12:00", **NEW_YORK),
            make_series("yard", "2026-03-03T12:00", until="2026-03-02"),
            make_series("yard", "2026-03-03T12:00", every="year", nth=6),
            make_series("yard", "2026-03-03T12:00", 1441, every="day", count=2),
            make_series("yard", "2026-03-03T12:00", 1440, every="day", count=2),
            make_series("yard", "2026-03-28T13:00", 1440, every="day", count=2),
            make_series("yard", "2026-01-03T12:00", 1500, every="week", weekdays=[5, 6]),
            make_series("yard", "2025-11-01T00:00", 60, every="month", count=30),
            make_series("yard", "2025-11-03T00:30", 60, every="day", interval=59, count=3),
            make_series("yard", "2025-11-03T00:30", 60, every="day", interval=149),
            make_series("yard", "2024-03-01T00:30", 60, every="day"),
        )
    ]
    kinds = {outcome for outcome in outcomes if isinstance(outcome, str)}
    assert kinds == {"taken", "empty", "overlap"}
    house.compare_tables()
    for room in ("hall", "yard"):
        for first in ("2025-11-01", "2026-02-22", "2026-03-28"):
            house.check(room, first)


def test_the_edge_of_what_is_checked(convex: Convex) -> None:
    """What is later than 120 days is not looked at, what is just before it is."""
    for days in range(115, 121):
        house = House(convex, f"a{days}", f"b{days}", f"c{days}")
        late = date(2026, 3, 2) + timedelta(days=days)
        house.store(
            make_series(f"a{days}", f"{late}T00:30"),
            make_series(
                f"b{days}", "2026-02-01T01:00", changes=[("2026-02-01", f"{late}T23:30", 45)]
            ),
            make_series(
                f"c{days}", f"{date(2026, 3, 2) - timedelta(days=days - 112)}T12:00", 7 * 1440
            ),
        )
        for room in "abc":
            house.add(make_series(f"{room}{days}", "2026-03-02T00:00", 1439, every="day"))


def test_skipping_and_moving(convex: Convex) -> None:
    """A day is skipped, moved, moved again and brought back, if it is one of the series."""
    house = House(convex, "hall", "attic")
    weekly = house.add(make_series("hall", "2026-03-02T18:00", every="week", count=9))
    single = house.add(make_series("hall", "2026-03-04T18:00", 90))
    daily = house.add(make_series("attic", "2026-03-02T10:00", 60, every="day", until="2026-03-20"))
    assert house.skip(weekly, "2026-03-03") == "no_such_day"
    assert house.skip(weekly, "2026-05-04") == "no_such_day"
    assert house.move(weekly, "2026-02-23", "2026-03-01T18:00") == "no_such_day"
    house.skip(weekly, "2026-03-09")
    house.skip(weekly, "2026-03-09")
    house.skip(weekly, "2026-04-27")
    house.compare_tables()
    moves = [
        (weekly, "2026-03-16", "2026-03-04T19:00", None),
        (weekly, "2026-03-16", "2026-03-04T19:30", None),
        (weekly, "2026-03-16", "2026-03-04T20:00", 30),
        (weekly, "2026-03-23", "2026-03-04T20:00", None),
        (weekly, "2026-03-23", "2026-03-30T18:30", 10),
        (weekly, "2026-03-23", "2026-03-23T18:30", 10),
        (weekly, "2026-03-09", "2026-03-09T18:00", None),
        (weekly, "2026-04-27", "2026-08-01T08:00", None),
        (single, "2026-03-04", "2026-12-24T18:00", None),
        (single, "2026-12-24", "2026-12-25T18:00", None),
        (single, "2026-03-04", "2026-02-10T18:00", 2000),
        (daily, "2026-03-20", "2026-03-20T09:30", 30),
        (daily, "2026-03-20", "2026-03-19T10:30", 30),
        (daily, "2026-03-05", "2026-03-29T02:30", 45),
        (daily, "2026-03-06", "2026-03-29T03:00", 45),
        (daily, "2026-03-06", "2026-03-29T03:15", 30),
    ]
    for series, day, start, minutes in moves:
        house.move(series, day, start, minutes)
        house.compare_tables()
        house.check("hall", "2026-03-01")
        house.check("hall", start[:10], 3)
        house.check("attic", start[:10], 2)
    house.check("attic", "2026-03-01", 30)
    house.check("hall", "2026-02-08", 42)
    house.skip(single, "2026-03-04")
    house.skip(weekly, "2026-04-27")
    house.add(make_series("hall", "2026-02-11T18:00", 20))
    house.check("hall", "2026-07-20")
    house.compare_tables()


def test_this_and_following(convex: Convex) -> None:
    """A series is split at a day: counts, ends, weekdays and changed days go with the new one."""
    house = House(convex, *"abcdefgh")
    changes = [
        ("2026-03-04", None, None),
        ("2026-03-09", "2026-03-10T12:00", 20),
        ("2026-03-16", "2026-06-10T12:00", None),
        ("2026-03-18", None, None),
        ("2026-03-20", "2026-01-10T12:00", None),
    ]
    rule = {"every": "week", "weekdays": [0, 2], "changes": changes, "count": 12}
    series = {room: make_series(room, "2026-03-02T18:00", **rule) for room in "abc"}
    monthly = make_series("d", "2025-12-31T09:00", every="month", until="2026-08-31")
    single = make_series(
        "e", "2026-03-02T18:00", changes=[("2026-03-02", "2026-04-01T09:00", None)]
    )
    nth = make_series("f", "2026-01-01T18:00", every="month", nth=-1)
    daily = make_series("g", "2026-03-01T18:00", 120, every="day", interval=2)
    biweekly = make_series("h", "2026-03-04T18:00", every="week", weekdays=[6, 2], interval=2)
    house.store(*series.values(), monthly, single, nth, daily, biweekly)
    assert house.follow(series["a"], "2026-03-20", title="x") == "no_such_day"
    later = house.follow(series["a"], "2026-03-16", title="New", minutes=45)
    earlier = house.follow(series["b"], "2026-03-11", start="2026-03-07T08:00")
    again = house.follow(series["c"], "2026-03-02", start="2026-03-03T18:00", title="")
    house.compare_tables()
    house.follow(later, "2026-03-30", start="2026-04-02T10:00")
    house.follow(earlier, "2026-03-07", minutes=0)
    house.follow(series["b"], "2026-03-11", minutes=5)
    house.follow(again, "2026-04-08", minutes=10_000)
    house.follow(monthly, "2026-03-31", start="2026-04-01T09:00")
    house.follow(single, "2026-03-02", start="2026-03-05T19:00", title="moved")
    house.follow(nth, "2026-03-26", start="2026-03-28T18:00")
    assert house.follow(daily, "2026-03-03", start="2026-03-01T19:00") == "taken"
    house.follow(daily, "2026-03-05", start="2026-03-04T17:00")
    house.follow(daily, "2026-03-03", start="2026-03-03T19:00", minutes=2880)
    house.follow(biweekly, "2026-03-08", start="2026-03-09T08:00")
    house.compare_tables()
    for room in "abcdefgh":
        house.check(room, "2026-02-23", 42)
        for first in ("2026-01-05", "2026-06-05", "2026-08-25"):
            house.check(room, first, 7)
    blocked = house.add(make_series("g", "2026-03-02T19:00", 30))
    assert blocked != "taken"
    house.follow(daily, "2026-03-03", start="2026-03-02T18:00")
    house.check("g", "2026-02-25")
    house.compare_tables()


def test_reads_are_few(convex: Convex) -> None:
    """Agendas and changes read no more than promised among years of bookings."""
    house = House(convex, "hall")
    rng = random.Random(5)  # noqa: S311 - a test needs no secrets
    far: list[Any] = []
    for number in range(620):
        past = date(2025, 12, 1) - timedelta(days=3 * number)
        ahead = date(2026, 9, 1) + timedelta(days=4 * number)
        far.append(make_series("hall", f"{past}T03:00", 30, every="day", count=2))
        far.append(make_series("hall", f"{ahead}T02:00", 30, title="ahead"))
    recurring: list[Any] = []
    for number in range(12):
        changes = []
        for place in range(60):
            year, month = 2018 + place // 6, 1 + 2 * (place % 6)
            moved = f"{year}-{month:02d}-17T{number + 6:02d}:30"
            changes.append((f"{year}-{month:02d}-15", rng.choice([None, moved]), None))
        start = f"2018-01-15T{number + 6:02d}:00"
        rule = {"every": "month", "changes": changes, "title": f"monthly {number}"}
        recurring.append(make_series("hall", start, 30, **rule))
    house.store(*far, is_seen=False)
    house.store(*recurring)
    convex.limit(documents_read=600)
    house.check("hall", "2026-03-10", 42)
    house.check("hall", "2026-08-11", 7)
    added = house.add(make_series("hall", "2026-03-20T04:00", 30))
    house.move(added, "2026-03-20", "2026-03-21T04:00")
    house.skip(recurring[0], "2026-04-15")
    house.move(recurring[1], "2026-03-15", "2026-03-24T04:00")
    later = house.follow(recurring[2], "2026-04-15", title="later")
    house.follow(later, "2026-06-15", minutes=20)
    house.check("hall", "2026-04-10", 14)


@pytest.mark.parametrize("seed", [1, 2])
def test_busy_rooms(convex: Convex, seed: int) -> None:
    """Random bookings, moves and splits come out as in the server."""
    rng = random.Random(seed)  # noqa: S311 - a test needs no secrets
    house = House(convex, "hall", "attic")
    live: list[Any] = []
    for _ in range(50):
        choice = rng.random()
        if choice < 0.4 or not live:
            made = house.add(make_random(rng))
            live += [] if isinstance(made, str) else [made]
            continue
        series = rng.choice(live)
        days = [day for _, day in zip(range(12), series.planned(), strict=False)]
        day = rng.choice(days) if days else date(2026, 3, 1)
        near = day + timedelta(days=rng.randrange(-6, 9))
        start = f"{near}T{rng.randrange(24):02d}:{rng.choice(['00', '30'])}"
        if choice < 0.5:
            house.skip(series, day.isoformat())
        elif choice < 0.75:
            house.move(series, day.isoformat(), start, rng.choice([None, 30, 200]))
        else:
            more = {"start": start} if rng.random() < 0.6 else {"title": "New"}
            made = house.follow(series, day.isoformat(), **more)
            live = [one for one in house.server.series if one in live or one is made]
    house.compare_tables()
    for room in ("hall", "attic"):
        for first in ("2026-02-20", "2026-03-25", "2026-05-01"):
            house.check(room, first, 42, rng.choice(["Europe/Berlin", "America/New_York"]))


def make_random(rng: random.Random) -> Any:  # noqa: ANN401 - of the server
    """Return a random series of the spring."""
    day = date(2026, 3, 1) + timedelta(days=rng.randrange(40))
    every = rng.choice([None, None, "day", "week", "month"])
    more: dict[str, Any] = {"every": every} if every else {}
    if every:
        more["interval"] = rng.choice([1, 2, 3])
        end = rng.choice(["count", "until", "none"])
        if end == "count":
            more["count"] = rng.randrange(1, 9)
        elif end == "until":
            more["until"] = (day + timedelta(days=rng.randrange(60))).isoformat()
    if every == "week":
        more["weekdays"] = rng.sample(range(7), rng.randrange(3))
    if every == "month":
        more["nth"] = rng.choice([-2, -1, 1, 4, 5, 0])
    zone = rng.choice(["Europe/Berlin", "America/New_York", "Asia/Kathmandu"])
    start = f"{day}T{rng.randrange(24):02d}:{rng.choice(['00', '30', '45'])}"
    minutes = rng.choice([20, 45, 60, 180])
    return make_series(rng.choice(["hall", "attic"]), start, minutes, zone=zone, **more)
