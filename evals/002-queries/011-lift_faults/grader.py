# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Fault lists of lifts, in the orders that the task states, down to the last tie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Row = dict[str, Any]

MANY = 110


def fault(severity: int = 3, at: float = 0, lift: str = "K 7", **changes: str | float) -> Row:
    """Describe a fault of the harbour district, of a car that still moves."""
    fields: Row = {"district": "harbour", "lift": lift, "severity": float(severity)}
    return fields | {"reportedAt": float(at)} | changes


def of_district(
    convex: Convex, function: str, district: str = "harbour", /, **limit: float
) -> list[Row]:
    """Ask for a list of a district."""
    asked = {"district": district} | limit
    return cast("list[Row]", convex.query(f"faults:{function}", asked))


def history(convex: Convex, lift: str = "K 7", /, **limit: float) -> list[Row]:
    """Ask for the history of a lift."""
    return cast("list[Row]", convex.query("faults:history", {"lift": lift} | limit))


def told(rows: list[Row], *fields: str) -> list[tuple[Any, ...]]:
    """Tell these fields of each fault, in order."""
    return [tuple(row.get(field) for field in fields) for row in rows]


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_equally_grave_faults_come_oldest_first(convex: Convex, order: int) -> None:
    """The gravest faults come first, and of equal ones the one reported earliest, as stored."""
    expected = [(5, 20), (5, 90), (4, -30), (3, 0), (3, 7), (3, 50), (2, 10), (1, -99), (1, 3)]
    shuffled = sorted(expected, key=lambda entry: entry[1] % 11)[::order]
    convex.insert_many("faults", [fault(severity, at) for severity, at in shuffled])
    rows = of_district(convex, "worklist")
    assert told(rows, "severity", "reportedAt") == expected
    stored = {row["_id"]: row for row in convex.table("faults")}
    assert rows == [stored[row["_id"]] for row in rows]


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_ties_on_the_worklist_are_broken_by_lift(convex: Convex, order: int) -> None:
    """Faults of one severity and moment come by lift, and those of one lift as they were stored."""
    lifts = ["k 1", "K 9", "Ä 1", "K 10", "A 3", "K 9 B"]
    rows = [fault(2, 60, lift) for lift in lifts] + [fault(2, 59, "Z"), fault(2, 61, "A")]
    convex.insert_many("faults", rows[::order])
    for floor in (2.0, 1.0, 3.0):
        convex.insert("faults", fault(2, 60, "K 8", floor=floor))
    expected = [("Z", None), ("A 3", None), ("K 10", None)]
    expected += [("K 8", 2), ("K 8", 1), ("K 8", 3), ("K 9", None), ("K 9 B", None)]
    expected += [("k 1", None), ("Ä 1", None), ("A", None)]
    assert told(of_district(convex, "worklist"), "lift", "floor") == expected


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_a_lifts_history_is_newest_first(convex: Convex, order: int) -> None:
    """A lift's faults come by when they were reported, the last first, wherever it is."""
    moments = [40.0, -10.0, 0.0, 90.0, 7.5]
    rows = [fault(n + 1, at) for n, at in enumerate(moments)]
    rows += [fault(5, 50, district="castle"), fault(5, 51, "K 77"), fault(5, 52, "k 7")]
    convex.insert_many("faults", rows[::order])
    assert told(history(convex), "reportedAt") == [(90,), (50,), (40,), (7.5,), (0,), (-10,)]
    assert told(history(convex, "K 77"), "reportedAt") == [(51,)]
    assert history(convex, "K") == []


def test_faults_of_one_moment_come_last_stored_first(convex: Convex) -> None:
    """Of one moment the one stored last comes first, in the history and where cars are stuck."""
    for number, at in enumerate([10, 20, 10, 20, 10]):
        convex.insert("faults", fault(number + 1, at, floor=4.0))
    expected = [(20, 4), (20, 2), (10, 5), (10, 3), (10, 1)]
    for limit in (1, 3, 4, 5):
        rows = history(convex, limit=float(limit))
        assert told(rows, "reportedAt", "severity") == expected[:limit]
        rows = of_district(convex, "stuck", limit=float(limit))
        assert told(rows, "reportedAt", "severity") == expected[:limit]


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_the_highest_floor_comes_first(convex: Convex, order: int) -> None:
    """Faults come by floor from the highest, cellars after the ground floor, moving cars last."""
    places: list[tuple[float | None, float]] = [
        *((31, 5), (9, 80), (9, -2), (1, 0), (0, 60), (0, 50), (-1, 70), (-2.5, 99)),
        *((None, 90), (None, 30), (None, -8)),
    ]
    rows = [fault(1, at) if floor is None else fault(1, at, floor=floor) for floor, at in places]
    shuffled = sorted(rows, key=lambda row: row["reportedAt"] % 7)[::order]
    convex.insert_many("faults", shuffled)
    assert told(of_district(convex, "stuck"), "floor", "reportedAt") == places


def test_other_districts_are_left_out(convex: Convex) -> None:
    """Lists of a district have the faults of exactly this district."""
    for number, district in enumerate(["harbour", "Harbour", "harbour west", "castle"]):
        convex.insert("faults", fault(4, number, district=district, floor=1.0))
        convex.insert("faults", fault(1, number, district=district))
    for function in ("worklist", "stuck"):
        assert told(of_district(convex, function), "reportedAt") == [(0,), (0,)]
        assert told(of_district(convex, function, "castle"), "reportedAt") == [(3,), (3,)]
        assert of_district(convex, function, "har") == []


def test_the_limit_keeps_the_first_of_each_order(convex: Convex) -> None:
    """At most `limit` faults come, the first of the order; 20 if left out, and never over 50."""
    numbers = [n * 7 % 55 for n in range(55)]
    convex.insert_many("faults", [fault(5 - n // 15, n, floor=float(-n)) for n in numbers])
    for limit, expected in ((None, 20), (1.0, 1), (21.0, 21), (500.0, 50)):
        more = {} if limit is None else {"limit": limit}
        oldest = [(n,) for n in range(expected)]
        assert told(of_district(convex, "worklist", **more), "reportedAt") == oldest
        assert told(of_district(convex, "stuck", **more), "reportedAt") == oldest
        newest = [(54 - n,) for n in range(expected)]
        assert told(history(convex, **more), "reportedAt") == newest


def test_only_about_what_is_listed_is_read(convex: Convex) -> None:
    """Lists are made though a district, and each of its severities, is too large to be read."""
    crowd = [fault(n % 5 + 1, n, floor=float(n % 3)) for n in range(MANY)]
    convex.insert_many("faults", crowd)
    convex.limit(documents_read=5 * 4)
    assert told(of_district(convex, "worklist", limit=4.0), "reportedAt") == [
        (4,),
        (9,),
        (14,),
        (19,),
    ]
    assert told(of_district(convex, "stuck", limit=3.0), "reportedAt") == [(107,), (104,), (101,)]
    assert told(history(convex, limit=2.0), "reportedAt") == [(109,), (108,)]


def test_a_fault_has_all_but_a_floor(convex: Convex) -> None:
    """A fault that lacks a required field, or has null for one, is refused."""
    whole = fault()
    convex.insert_many("faults", [whole, whole | {"floor": -1.0}])
    wrong: list[Row] = [
        *(whole | {key: None} for key in ("floor", *whole)),
        *({key: whole[key] for key in whole if key != missing} for missing in whole),
    ]
    for row in wrong:
        with pytest.raises(FunctionFailed):
            convex.insert("faults", row)


def test_arguments_have_their_types(convex: Convex) -> None:
    """Districts and lifts that are no text, and limits that are no numbers, are refused."""
    for function, name in (("worklist", "district"), ("stuck", "district"), ("history", "lift")):
        assert convex.query(f"faults:{function}", {name: "K 7"}) == []
        for wrong in ({}, {name: 7.0}, {name: "K 7", "limit": "4"}):
            with pytest.raises(FunctionFailed):
                convex.query(f"faults:{function}", wrong)
